// Drives the web page of `windlass serve` in a browser, on a scripted provider.
// Usage: node suite.mjs WINDLASS BROWSER OUTPUT [CHECK...]. Prints a line of JSON for each check.
// WINDLASS_BROWSER_EXAMPLES is the folder with the example servers of windlass-ui-stream.
// With WINDLASS_PAGE_FOLDER the files of the page come from that folder instead of the program.

import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { answers } from "./checks/answers.mjs";
import { attacks } from "./checks/attacks.mjs";
import { chat } from "./checks/chat.mjs";
import { editor } from "./checks/editor.mjs";
import { looks } from "./checks/looks.mjs";
import { pushes } from "./checks/push.mjs";
import { scroll } from "./checks/scroll.mjs";
import { streams } from "./checks/streams.mjs";
import { views } from "./checks/views.mjs";
import { Place } from "./place.mjs";
import { script } from "./script.mjs";

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];
const CHECK_MS = 400000;

const [windlass, program, output, ...wanted] = process.argv.slice(2);
const packages = process.env.WINDLASS_BROWSER_PACKAGES ?? import.meta.dirname;
const require = createRequire(pathToFileURL(join(packages, "package.json")));
const { chromium } = require("playwright-core");
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);

/** Runs a check with a time limit. */
async function perform(name, run, setting) {
  const begun = Date.now();
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${CHECK_MS} ms`)), CHECK_MS);
  });
  let result;
  try {
    result = { ok: true, words: (await Promise.race([run(setting), limit])) ?? "" };
  } catch (error) {
    result = { ok: false, words: String(error.stack ?? error).slice(0, 3000) };
  }
  clearTimeout(timer);
  for (const context of setting.browser.contexts()) await context.close();
  console.log(JSON.stringify({ check: name, ms: Date.now() - begun, ...result }));
}

mkdirSync(output, { recursive: true });
const place = await Place.start(windlass, script);
const browser = await chromium.launch({ executablePath: program, args: FLAGS });
try {
  const { WINDLASS_PAGE_FOLDER: pageFolder, WINDLASS_BROWSER_EXAMPLES: examples } = process.env;
  const setting = { place, browser, output, pageFolder, examples, load };
  for (const [name, run] of Object.entries({ ...looks, ...streams, ...answers, ...views, ...attacks, ...scroll, ...editor, ...chat, ...pushes })) {
    if (wanted.length === 0 || wanted.some((word) => name.includes(word))) await perform(name, run, setting);
  }
} finally {
  await browser.close();
  await place.stop();
}
