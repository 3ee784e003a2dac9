// Runs the conversations of the libraries of npm through every gateway of a stack.
//
// Usage: node suite.mjs MODULE STACK_JSON [WORD]. Prints a line of JSON for each conversation of the module, which is
// `official` or `all`; WORD selects clients and cases.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CASES as OFFICIAL } from "./official.mjs";
import { Talk } from "./talks.mjs";

// The output belongs to the results; libraries write warnings with these functions.
console.log = console.error;
console.info = console.error;

// What the second mock does not have: its own format reaches it unchanged, so the gateway cannot stand in for it.
const NOT_IN_AIMOCK = {
  "tool runner, anthropic": "aimock ignores threads",
  "google: stream, tools, object, gemini": "aimock's finishReason FUNCTION_CALL is not one of Google's, and ends the loop",
};

const [module, stackJson, word = ""] = process.argv.slice(2);
const stack = JSON.parse(stackJson);
const { CASES: FRAMEWORKS } = module === "official" ? { CASES: [] } : await import("./frameworks.mjs");

function version(name) {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(fileURLToPath(file), "utf8")).version;
}

for (const [client, name, run] of [...OFFICIAL, ...FRAMEWORKS]) {
  if (!`${client} ${name}`.includes(word)) continue;
  for (const upstream of Object.keys(stack.gateways)) {
    const line = { client: `${client} (Node)`, version: version(client), case: name, upstream };
    const id = `js-${client}-${name}-${upstream}`.replaceAll(/[^\w]+/g, "-");
    const started = performance.now();
    const skipped = stack.mock === "aimock" ? NOT_IN_AIMOCK[`${name}, ${upstream}`] : undefined;
    if (skipped !== undefined) {
      process.stdout.write(`${JSON.stringify({ ...line, skipped })}\n`);
      continue;
    }
    try {
      line.words = (await run(new Talk(stack, upstream, id))) ?? "";
      line.ok = true;
    } catch (error) {
      line.ok = false;
      line.words = `${error?.name}: ${error?.message}`.slice(0, 400);
      console.error(error);
    }
    line.ms = Math.round(performance.now() - started);
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }
}
process.exit(0);
