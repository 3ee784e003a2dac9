// The official library of the Agent Client Protocol as the editor of `windlass acp`.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";

import { assert, assertEqual } from "../pages.mjs";
import { PIXEL } from "../script.mjs";

/** Starts an agent, connects the library, and runs `work` with the connection and everything that arrived. */
async function connect(setting, answer, work) {
  const { place, load } = setting;
  const acp = await load("@agentclientprotocol/sdk");
  const words = ["acp", ...place.provider, "--sandbox", "off"];
  const child = spawn(place.windlass, words, { env: place.environment, stdio: ["pipe", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk) => { errors += chunk; });
  const seen = { updates: [], permissions: [] };
  const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  const client = acp.client({ name: "windlass-suite" })
    .onNotification(acp.methods.client.session.update, ({ params }) => { seen.updates.push(params.update); })
    .onRequest(acp.methods.client.session.requestPermission, async ({ params }) => {
      seen.permissions.push(params);
      return answer(params);
    });
  try {
    return await client.connectWith(stream, async (context) => {
      const agent = await context.request(acp.methods.agent.initialize, {
        protocolVersion: acp.PROTOCOL_VERSION,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } },
      });
      return work({ acp, context, agent, seen });
    });
  } catch (error) {
    throw new Error(`${error.stack ?? error}\n${errors}`);
  } finally {
    child.kill();
  }
}

/** Selects the option of a permission with a kind. */
const select = (kind) => (params) => {
  const option = params.options.find((one) => one.kind === kind);
  assert(option, `no option ${kind} in ${JSON.stringify(params.options)}`);
  return { outcome: { outcome: "selected", optionId: option.optionId } };
};

const textOf = (updates, kind) => updates.filter((one) => one.sessionUpdate === kind).map((one) => one.content.text).join("");

/** A session with an embedded text, a permission with a diff, a second prompt, and a load in a new process. */
async function session(setting) {
  const prompt = [
    { type: "text", text: "part zed: change the file of " },
    { type: "resource_link", name: "editor.txt", uri: `file://${setting.place.project}/editor.txt` },
    { type: "resource", resource: { uri: "file:///notes.md", text: "an embedded text" } },
  ];
  const id = await connect(setting, select("allow_once"), async ({ acp, context, agent, seen }) => {
    assert(agent.agentCapabilities.loadSession, "the agent cannot load sessions");
    const { sessionId, modes } = await context.request(acp.methods.agent.session.new, { cwd: setting.place.project, mcpServers: [] });
    assertEqual(modes.currentModeId, "ask", "the mode");
    const response = await context.request(acp.methods.agent.session.prompt, { sessionId, prompt });
    assertEqual(response.stopReason, "end_turn", "the reason of the stop");
    assertEqual(seen.permissions.length, 1, "permissions");
    const diffs = seen.permissions[0].toolCall.content.filter((one) => one.type === "diff");
    assertEqual(diffs.map((one) => [one.oldText ?? null, one.newText]), [[null, "old\nnew\n"]], "the diff of the permission");
    assert(textOf(seen.updates, "agent_message_chunk").includes("I change the file."), "the text is missing");
    assert(textOf(seen.updates, "agent_thought_chunk").includes("The editor wants a change."), "the thought is missing");
    const call = seen.updates.filter((one) => one.toolCallId === seen.permissions[0].toolCall.toolCallId);
    assertEqual([call[0].sessionUpdate, call.at(-1).status], ["tool_call", "completed"], "the updates of the call");
    return sessionId;
  });
  assertEqual(readFileSync(join(setting.place.project, "editor.txt"), "utf8"), "old\nnew\n", "the file");
  return connect(setting, select("allow_once"), async ({ acp, context, seen }) => {
    const { sessions } = await context.request(acp.methods.agent.session.list, {});
    assert(sessions.some((one) => one.sessionId === id), "the session is not listed");
    await context.request(acp.methods.agent.session.load, { sessionId: id, cwd: setting.place.project, mcpServers: [] });
    assert(textOf(seen.updates, "user_message_chunk").includes("part zed"), "the history has no task");
    assert(textOf(seen.updates, "agent_message_chunk").includes("I change the file."), "the history has no text");
    const loaded = seen.updates.length;
    const response = await context.request(acp.methods.agent.session.prompt, { sessionId: id, prompt: [{ type: "text", text: "and now?" }] });
    assertEqual(response.stopReason, "end_turn", "the reason of the stop after a load");
    assert(seen.updates.length > loaded, "the continued session sent nothing");
    return `${loaded} updates of the history`;
  });
}

/** A prompt is cancelled while its command runs. A permission is denied. */
async function cancel(setting) {
  return connect(setting, select("allow_once"), async ({ acp, context, seen }) => {
    const { sessionId } = await context.request(acp.methods.agent.session.new, { cwd: setting.place.project, mcpServers: [] });
    const prompt = [{ type: "text", text: "part cancel: run the command" }];
    const pending = context.request(acp.methods.agent.session.prompt, { sessionId, prompt });
    while (!seen.updates.some((one) => JSON.stringify(one.content ?? one.rawOutput ?? "").includes("begins"))) {
      await new Promise((resolve) => { setTimeout(resolve, 50); });
    }
    await context.notify(acp.methods.agent.session.cancel, { sessionId });
    assertEqual((await pending).stopReason, "cancelled", "the reason of the stop");
    return `${seen.updates.length} updates`;
  });
}

/** A picture and an embedded binary file are parts of the task. */
async function picture(setting) {
  return connect(setting, select("allow_once"), async ({ acp, context, agent, seen }) => {
    assert(agent.agentCapabilities.promptCapabilities.image, "the agent takes no pictures");
    const { sessionId } = await context.request(acp.methods.agent.session.new, { cwd: setting.place.project, mcpServers: [] });
    const prompt = [
      { type: "text", text: "part picture: look" },
      { type: "image", data: PIXEL, mimeType: "image/png" },
      { type: "resource", resource: { uri: "file:///dot.png", blob: PIXEL, mimeType: "image/png" } },
    ];
    const response = await context.request(acp.methods.agent.session.prompt, { sessionId, prompt });
    assertEqual(response.stopReason, "end_turn", "the reason of the stop");
    assertEqual(textOf(seen.updates, "agent_message_chunk"), "It is one pixel.", "the text");
    return "";
  });
}

async function deny(setting) {
  return connect(setting, select("reject_once"), async ({ acp, context, seen }) => {
    const { sessionId } = await context.request(acp.methods.agent.session.new, { cwd: setting.place.project, mcpServers: [] });
    const prompt = [{ type: "text", text: "part queue: deny all" }];
    const response = await context.request(acp.methods.agent.session.prompt, { sessionId, prompt });
    assertEqual(response.stopReason, "end_turn", "the reason of the stop");
    assertEqual(seen.permissions.length, 3, "permissions");
    assert(!existsSync(join(setting.place.project, "b.txt")), "a denied call ran");
    const failed = seen.updates.filter((one) => one.status === "failed");
    assertEqual(failed.length, 3, "failed calls");
    return "";
  });
}

/** The options of a session are set, and its next run works without a question. */
async function options(setting) {
  return connect(setting, select("reject_once"), async ({ acp, context, seen }) => {
    const { session } = acp.methods.agent;
    const { sessionId, configOptions } = await context.request(session.new, { cwd: setting.place.project, mcpServers: [] });
    assertEqual(configOptions.map((one) => one.category), ["mode", "model", "thought_level"], "the options");
    const set = (configId, value) => context.request(session.setConfigOption, { sessionId, configId, value });
    await set("thought_level", "high");
    const { configOptions: changed } = await set("mode", "auto-edit");
    assertEqual(changed.map((one) => one.currentValue), ["auto-edit", "scripted-1", "high"], "the values");
    assert(seen.updates.some((one) => one.sessionUpdate === "current_mode_update"), "the mode is not announced");
    const prompt = [{ type: "text", text: "part options: without a question" }];
    const response = await context.request(session.prompt, { sessionId, prompt });
    assertEqual(response.stopReason, "end_turn", "the reason of the stop");
    assertEqual(seen.permissions.length, 0, "permissions");
    assertEqual(readFileSync(join(setting.place.project, "options.txt"), "utf8"), "from the model\n", "the file");
    return `${configOptions[1].options.length} models`;
  });
}

export const editor = {
  "editor: a session": session, "editor: cancel": cancel, "editor: a picture": picture, "editor: deny": deny, "editor: options": options
};
