// Text files and terminals of the client, and an agent without a provider.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { assert, assertEqual, connect, failure, text } from "../editor.mjs";

/** A buffer with unsaved changes is read, edited and saved through the client. */
async function unsaved(setting) {
  const { place } = setting;
  const file = join(place.project, "unsaved.txt");
  writeFileSync(file, "on disk\n");
  const buffers = new Map([[file, "typed by the user\n"]]);
  const files = {
    read: ({ path }) => ({ content: buffers.get(path) ?? readFileSync(path, "utf8") }),
    write: ({ path, content }) => {
      buffers.delete(path);
      writeFileSync(path, content);
      return {};
    },
  };
  const abilities = { fs: { readTextFile: true, writeTextFile: true } };
  const words = [...place.provider, "--autonomy", "auto-edit"];
  return connect(setting, { words, abilities, files }, async ({ seen, open, prompt }) => {
    const response = await prompt(await open(), text("part unsaved: edit it"));
    assertEqual(response.stopReason, "end_turn", "the stop");
    assertEqual(readFileSync(file, "utf8"), "edited by the user\n", "the file");
    assertEqual(buffers.size, 0, "buffers with unsaved changes");
    const bodies = place.requestsWith("part unsaved: edit it");
    assert(JSON.stringify(bodies).includes("typed by the user"), "the model has not read the buffer");
    assert(seen.files.length > 0 && seen.files.every((one) => one === file), `files asked for: ${seen.files}`);
    rmSync(file);
    return `${seen.files.length} requests about the file`;
  });
}

/** The output of a command is a terminal that the client shows, and the command runs in the sandbox of the agent. */
async function terminal(setting) {
  const abilities = { terminal: true, _meta: { terminal_output: true } };
  return connect(setting, { abilities }, async ({ seen, wire, open, prompt }) => {
    await prompt(await open(), text("part terminal: run it"));
    const begun = seen.updates.find((one) => one._meta?.terminal_info);
    assertEqual(begun?.content.map(({ type, terminalId }) => [type, terminalId]), [["terminal", begun?.toolCallId]], "the content of the call");
    const output = seen.updates.map((one) => one._meta?.terminal_output?.data ?? "").join("");
    assert(output.includes("shown"), `the output is ${output}`);
    assertEqual(seen.updates.find((one) => one._meta?.terminal_exit)?._meta.terminal_exit.exit_code, 3, "the exit code");
    assert(wire.fromAgent.every(({ method }) => method !== "terminal/create"), "the client was asked to run a command");
    return `${output.length} characters`;
  });
}

/** Without a provider the agent answers, and names what is missing. */
async function noProvider(setting) {
  const words = ["--model", "some-model-of-nobody"];
  return connect(setting, { words }, async ({ agent, open }) => {
    const [method] = agent.authMethods;
    const refused = await failure(open());
    assertEqual(refused.code, -32000, "the code of the error");
    assertEqual(refused.message, method.description, "the error and the sign-in");
    assert(/provider|base-url/.test(refused.message), `the error says ${refused.message}`);
    return refused.message.slice(0, 100);
  });
}

export const files = { "unsaved changes": unsaved, "terminal of a command": terminal, "no provider": noProvider };
