// Drives `windlass acp` with the official library of the protocol, and with acpx, on a scripted provider.
// Usage: node suite.mjs WINDLASS [CHECK...]. Prints a line of JSON for each check.
// WINDLASS_ACP_PACKAGES is the folder with the packages, WINDLASS_ACPX the one with acpx.

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { program } from "./checks/acpx.mjs";
import { files } from "./checks/files.mjs";
import { settings } from "./checks/options.mjs";
import { prompts } from "./checks/prompts.mjs";
import { setup } from "./checks/setup.mjs";
import { Place } from "./place.mjs";
import { script } from "./script.mjs";
import { Schema } from "./wire.mjs";

const CHECK_MS = 180000;

const [windlass, ...wanted] = process.argv.slice(2);
const packages = process.env.WINDLASS_ACP_PACKAGES ?? import.meta.dirname;
const require = createRequire(pathToFileURL(join(packages, "package.json")));
const acp = await import(pathToFileURL(require.resolve("@agentclientprotocol/sdk")).href);

/** Runs a check with a time limit. */
async function perform(name, run, setting) {
  const begun = Date.now();
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${CHECK_MS} ms`)), CHECK_MS);
  });
  let result;
  try {
    const said = (await Promise.race([run(setting), limit])) ?? "";
    result = typeof said === "string" ? { ok: true, words: said } : said;
  } catch (error) {
    result = { ok: false, words: String(error.stack ?? error).slice(0, 3000) };
  }
  clearTimeout(timer);
  console.log(JSON.stringify({ check: name, ms: Date.now() - begun, ...result }));
}

const place = await Place.start(windlass, script);
const setting = { place, acp, acpx: process.env.WINDLASS_ACPX, schema: new Schema(require), messages: 0 };
try {
  for (const [name, run] of Object.entries({ ...setup, ...prompts, ...settings, ...files, ...program })) {
    if (wanted.length === 0 || wanted.some((word) => name.includes(word))) await perform(name, run, setting);
  }
  const words = `${setting.messages} messages of the agent follow the schema`;
  const isOther = wanted.length > 0 && setting.messages === 0;
  if (!isOther) console.log(JSON.stringify({ check: "schema", ms: 0, ok: setting.messages > 0, words }));
} finally {
  await place.stop();
}
process.exit(0);
