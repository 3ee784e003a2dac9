// acpx, a client for the command line that another project wrote: a prompt, a session, a mode and an option.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { assert, assertEqual } from "../editor.mjs";

const RUN_MS = 60000;

/** Time in seconds after which acpx ends an agent without work. */
const IDLE_S = 1;

/** The oldest version of node that acpx runs on. */
const LEAST = [22, 13];

/** Returns a program that runs acpx: this node, or the npm package `node` beside acpx. */
function findNode(packages) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1])) return process.execPath;
  const installed = join(packages, "node_modules/node/bin/node");
  return existsSync(installed) ? installed : undefined;
}

async function acpx(setting) {
  const { place, acpx: packages } = setting;
  if (!packages) return { skipped: "no folder with acpx: --acpx FOLDER" };
  const node = findNode(packages);
  if (!node) return { skipped: `acpx needs node ${LEAST.join(".")}` };
  const agent = [place.windlass, "acp", ...place.provider, "--sandbox", "off"].join(" ");
  const cli = join(packages, "node_modules/acpx/dist/cli.js");
  const run = async (...words) => {
    const { code, output } = await start(...words);
    assertEqual(code, 0, `the exit code of ${words}: ${output}`);
    return output;
  };
  const start = async (...words) => {
    const all = [cli, "--agent", agent, "--cwd", place.project, "--ttl", String(IDLE_S), ...words];
    const child = spawn(node, all, { env: place.environment, stdio: ["ignore", "pipe", "inherit"], timeout: RUN_MS });
    let output = "";
    child.stdout.on("data", (chunk) => { output += chunk; });
    const code = await new Promise((resolve) => child.once("close", resolve));
    return { code, output };
  };
  const idle = () => new Promise((resolve) => { setTimeout(resolve, IDLE_S * 1000 + 2000); });
  const text = await run("--approve-all", "exec", "part acpx: write and run");
  for (const part of ["write_file acpx.txt", "a command ran", "acpx has its file."]) assert(text.includes(part), `no ${part} in ${text}`);
  assertEqual(readFileSync(join(place.project, "acpx.txt"), "utf8"), "from acpx\n", "the file");
  rmSync(join(place.project, "mode.txt"), { force: true });
  // A denial is an exit code of acpx.
  const denied = await start("--deny-all", "--format", "json", "exec", "part mode: deny it");
  const lines = denied.output.trim().split("\n").map((line) => JSON.parse(line));
  assert(denied.code !== 0 && !existsSync(join(place.project, "mode.txt")), "the denied call ran");
  assert(lines.some((line) => line.result?.stopReason === "end_turn"), "the denied prompt did not end");
  await run("sessions", "new");
  // The session has no prompt yet, and each command starts an agent of its own.
  await run("set", "thought_level", "low");
  const first = await run("prompt", "part content: in a session of acpx");
  assert(first.includes("I have seen all of it."), `acpx shows ${first}`);
  const [begun] = place.requestsWith("part content: in a session of acpx");
  assertEqual(begun.reasoning_effort, "low", "the option that was set before the first prompt");
  // acpx ends an idle agent after its time, so the next command starts one that loads or resumes the session.
  await idle();
  await run("set-mode", "auto-edit");
  await run("set", "thought_level", "high");
  await idle();
  const next = await run("--format", "json", "prompt", "go on in the session of acpx");
  assert(/session\/(load|resume)/.test(next), `acpx shows ${next}`);
  const [body] = place.requestsWith("go on in the session of acpx");
  assert(JSON.stringify(body).includes("part content: in a session of acpx"), "the request lacks the first prompt");
  await run("sessions", "close");
  await idle();
  return `${lines.length} lines of JSON`;
}

export const program = { "acpx": acpx };
