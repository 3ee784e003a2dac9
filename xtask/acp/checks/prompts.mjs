// Prompts and what the client sees of their work: texts, calls, diffs, plans, usage, cancellations.

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { assert, assertEqual, connect, select, text, textOf, until } from "../editor.mjs";
import { PIXEL } from "../script.mjs";

/** A picture, an embedded text, an embedded file and a link reach the model. */
async function content(setting) {
  return connect(setting, {}, async ({ seen, open, prompt }) => {
    const response = await prompt(await open(), [
      { type: "text", text: "part content: look at " },
      { type: "resource_link", name: "linked.txt", uri: `file://${setting.place.project}/linked.txt` },
      { type: "image", data: PIXEL, mimeType: "image/png" },
      { type: "resource", resource: { uri: "file:///notes.md", text: "an embedded text", mimeType: "text/markdown" } },
      { type: "resource", resource: { uri: "file:///dot.png", blob: PIXEL, mimeType: "image/png" } },
    ]);
    assertEqual(response.stopReason, "end_turn", "the stop");
    assertEqual(textOf(seen.updates, "agent_message_chunk"), "I have seen all of it.", "the text");
    const [body] = setting.place.requestsWith("part content: look at");
    const last = JSON.stringify(body.messages.findLast((message) => message.role === "user"));
    for (const part of ["linked.txt", "an embedded text", "notes.md"]) assert(last.includes(part), `${part} is not in the request`);
    assertEqual(last.split(PIXEL).length - 1, 2, "pictures in the request");
    return "";
  });
}

/** The diffs of a new and a changed file are in the permission and in the finished call. */
async function diff(setting) {
  rmSync(join(setting.place.project, "diff.txt"), { force: true });
  return connect(setting, {}, async ({ seen, open, prompt }) => {
    const response = await prompt(await open(), text("part diff: write and change"));
    assertEqual(response.stopReason, "end_turn", "the stop");
    const path = join(setting.place.project, "diff.txt");
    const expected = [[path, null, "one\ntwo\n"], [path, "one\ntwo\n", "one\nthree\n"]];
    const read = (content) => content.filter((one) => one.type === "diff").map((one) => [one.path, one.oldText ?? null, one.newText]);
    assertEqual(seen.permissions.flatMap(({ toolCall }) => read(toolCall.content)), expected, "the diffs of the permissions");
    const ended = seen.updates.filter((one) => one.status === "completed" && one.content?.some(({ type }) => type === "diff"));
    assertEqual(ended.flatMap((one) => read(one.content)), expected, "the diffs of the calls");
    const { toolCallId } = seen.permissions[0].toolCall;
    const own = seen.updates.filter((one) => one.toolCallId === toolCallId);
    assertEqual([own[0].sessionUpdate, own[0].kind, own[0].status], ["tool_call", "edit", "pending"], "the first update of a call");
    assert(own.some((one) => one.rawInput?.content === "one\ntwo\n"), "the arguments are missing");
    assertEqual(own.flatMap((one) => one.locations ?? [])[0], { path }, "the location");
    const states = own.map((one) => one.status).filter(Boolean);
    assertEqual([...new Set(states)], ["pending", "in_progress", "completed"], "the states of a call");
    return `${own.length} updates of a call`;
  });
}

/** A to-do list is a plan, and the answer has its usage. */
async function plan(setting) {
  return connect(setting, { words: [...setting.place.provider, "--context-window", "100000"] }, async ({ seen, open, prompt }) => {
    const response = await prompt(await open(), text("part plan: plan it"));
    assertEqual(response.stopReason, "end_turn", "the stop");
    const plans = seen.updates.filter((one) => one.sessionUpdate === "plan").map((one) => one.entries.map(({ content, status }) => [content, status]));
    assertEqual(plans, [[["read", "in_progress"], ["write", "pending"]], [["read", "completed"], ["write", "in_progress"]]], "the plans");
    const usage = seen.updates.filter((one) => one.sessionUpdate === "usage_update");
    assert(usage.length >= 3 && usage.every(({ used, size }) => used > 0 && size === 100000), `usage ${JSON.stringify(usage)}`);
    assert(response.usage.totalTokens > 0, "the response has no usage");
    return `${usage.length} updates of the usage, ${response.usage.totalTokens} tokens`;
  });
}

/** A prompt is cancelled while a text arrives, and the session continues. */
async function cancelText(setting) {
  return connect(setting, {}, async ({ context, seen, session, open, prompt }) => {
    const sessionId = await open();
    const pending = prompt(sessionId, text("part slow: count"));
    await until(() => textOf(seen.updates, "agent_message_chunk").includes("word5"), "text");
    await context.notify(session.cancel, { sessionId });
    assertEqual((await pending).stopReason, "cancelled", "the stop");
    const arrived = textOf(seen.updates, "agent_message_chunk");
    assert(!arrived.includes("word399"), "the whole text arrived");
    assertEqual((await prompt(sessionId, text("go on"))).stopReason, "end_turn", "the stop of the next prompt");
    return `${arrived.length} characters before the end`;
  });
}

/** A prompt is cancelled while its command runs: the call gets its result. */
async function cancelCommand(setting) {
  return connect(setting, {}, async ({ context, seen, session, open, prompt }) => {
    const sessionId = await open();
    const pending = prompt(sessionId, text("part command: wait"));
    const { toolCallId } = await until(() => seen.permissions.length > 0, "permission").then(() => seen.permissions[0].toolCall);
    const own = () => seen.updates.filter((one) => one.toolCallId === toolCallId);
    await until(() => JSON.stringify(own().map((one) => one.content)).includes("begins"), "output");
    await context.notify(session.cancel, { sessionId });
    assertEqual((await pending).stopReason, "cancelled", "the stop");
    assertEqual(own().at(-1).status, "failed", "the state of the call");
    return `${own().length} updates of the call`;
  });
}

/** A prompt is cancelled while a permission is open: the request is withdrawn, and the call does not run. */
async function cancelPermission(setting) {
  rmSync(join(setting.place.project, "mode.txt"), { force: true });
  let release;
  const released = new Promise((resolve) => { release = resolve; });
  const permit = async () => released;
  return connect(setting, { permit }, async ({ context, seen, wire, session, open, prompt }) => {
    const sessionId = await open();
    const pending = prompt(sessionId, text("part mode: cancel the permission"));
    await until(() => seen.permissions.length === 1, "permission");
    await context.notify(session.cancel, { sessionId });
    release({ outcome: { outcome: "cancelled" } });
    assertEqual((await pending).stopReason, "cancelled", "the stop");
    let found = "";
    try {
      found = readFileSync(join(setting.place.project, "mode.txt"), "utf8");
    } catch { /* The file must not exist. */ }
    assertEqual(found, "", "the file");
    const withdrawn = wire.fromAgent.filter(({ method }) => method === "$/cancel_request").length;
    return `${withdrawn} requests withdrawn`;
  });
}

/** The four kinds of options, and what each of them remembers. */
async function kinds(setting) {
  const answers = ["allow_once", "allow_always", "reject_once", "reject_always"];
  const permit = (asked, seen) => select(asked, answers[seen.permissions.length - 1] ?? "allow_once");
  return connect(setting, { permit }, async ({ seen, open, prompt }) => {
    const sessionId = await open();
    assertEqual((await prompt(sessionId, text("part kinds: try all"))).stopReason, "end_turn", "the stop");
    const offered = seen.permissions.map(({ options }) => options.map(({ kind }) => kind));
    assertEqual(offered[0], answers, "the kinds of options");
    const titles = seen.permissions.map(({ toolCall }) => toolCall.title);
    const expected = ["write_file kinds/a.txt", "write_file kinds/b.txt", "run_command touch rejected-once", "run_command touch rejected"];
    assertEqual(titles, expected, "the calls that asked");
    const states = (name) => seen.updates.filter((one) => ["completed", "failed"].includes(one.status)
      && one.toolCallId && titleOf(seen, one.toolCallId) === name).map((one) => one.status);
    const has = (name, wanted) => assertEqual([...new Set(states(name))], wanted, `the states of ${name}`);
    for (const name of ["a", "b", "c", "d"]) has(`write_file kinds/${name}.txt`, ["completed"]);
    for (const name of ["rejected-once", "rejected"]) has(`run_command touch ${name}`, ["failed"]);
    assertEqual(states("run_command touch rejected").length, 2, "rejected calls");
    await prompt(sessionId, text("and again"));
    assertEqual(seen.permissions.length, 4, "permissions after the second prompt");
    assertEqual(states("run_command touch rejected").length, 3, "rejected calls after the second prompt");
    return `asked 4 times for 9 calls`;
  });
}

const titleOf = (seen, id) => seen.updates.findLast((one) => one.toolCallId === id && one.title)?.title;

export const prompts = {
  "content of a prompt": content, "diffs": diff, "plan and usage": plan, "cancel a text": cancelText,
  "cancel a command": cancelCommand, "cancel a permission": cancelPermission, "four kinds of options": kinds,
};
