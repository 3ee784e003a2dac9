// The beginning and the end of a connection, and the methods of stored sessions.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { assert, assertEqual, connect, failure, select, text, textOf } from "../editor.mjs";

/** The version, the abilities and the name of the agent. An unknown version gets ours. */
async function initialize(setting) {
  return connect(setting, {}, async ({ agent, request }) => {
    assertEqual(agent.protocolVersion, 1, "the version");
    const { loadSession, promptCapabilities, mcpCapabilities, sessionCapabilities } = agent.agentCapabilities;
    assertEqual([loadSession, promptCapabilities.image, promptCapabilities.embeddedContext, promptCapabilities.audio],
      [true, true, true, false], "the abilities");
    assertEqual([mcpCapabilities.http, mcpCapabilities.sse], [true, false], "the transports of MCP");
    assertEqual(Object.keys(sessionCapabilities).sort(), ["close", "delete", "list", "resume"], "the methods of sessions");
    const { protocolVersion } = await request(setting.acp.methods.agent.initialize, { protocolVersion: 99, clientCapabilities: {} });
    assertEqual(protocolVersion, 1, "the version for a newer client");
    return `${agent.agentInfo.name} ${agent.agentInfo.version}`;
  });
}

/** A missing key has a method of sign-in that names its variable. */
async function missingKey(setting) {
  const words = ["--provider", "openai", "--model", "gpt-5-mini"];
  return connect(setting, { words }, async ({ agent, authenticate, request, open, prompt }) => {
    const [method] = agent.authMethods;
    assert(method.description.includes("OPENAI_API_KEY"), `the method says ${method.description}`);
    const refused = await failure(request(authenticate, { methodId: method.id }));
    assert(refused.message.includes("OPENAI_API_KEY"), `the error says ${refused.message}`);
    const asked = await failure(prompt(await open(), text("part content: without a key")));
    assertEqual(asked.code, -32000, "the code of the error");
    assert(asked.message.includes("OPENAI_API_KEY"), `the error of the prompt says ${asked.message}`);
    return asked.message.slice(0, 100);
  });
}

/** With a key, the sign-in succeeds. */
async function withKey(setting) {
  return connect(setting, {}, async ({ agent, authenticate, request }) => {
    await request(authenticate, { methodId: agent.authMethods[0].id });
    return agent.authMethods[0].description;
  });
}

/** A session is written by one process, and listed, loaded, resumed, closed and deleted by another one. */
async function stored(setting) {
  const { place } = setting;
  const id = await connect(setting, {}, async ({ open, prompt }) => {
    const id = await open();
    assertEqual((await prompt(id, text("part diff: in the first process"))).stopReason, "end_turn", "the stop");
    return id;
  });
  return connect(setting, { permit: (asked) => select(asked, "reject_once") }, async ({ seen, session, request, prompt }) => {
    const setup = { sessionId: id, cwd: place.project, mcpServers: [] };
    const listed = (await request(session.list, { cwd: place.project })).sessions.find((one) => one.sessionId === id);
    assert(listed && !Number.isNaN(Date.parse(listed.updatedAt)) && listed.cwd === place.project, `listed as ${JSON.stringify(listed)}`);
    assertEqual((await request(session.list, { cwd: "/other" })).sessions, [], "the sessions of another folder");
    const missing = await failure(prompt(id, text("before the load")));
    assertEqual(missing.code, -32002, "the code for a session that is not open");

    const loaded = await request(session.load, setup);
    assertEqual(loaded.modes.currentModeId, "ask", "the mode");
    assertEqual(textOf(seen.updates, "user_message_chunk"), "part diff: in the first process", "the task");
    assertEqual(textOf(seen.updates, "agent_message_chunk"), "I write.The file is changed.", "the texts");
    assertEqual(textOf(seen.updates, "agent_thought_chunk"), "A new file, then a change.", "the thoughts");
    const calls = seen.updates.filter((one) => one.sessionUpdate === "tool_call");
    assertEqual(calls.map((one) => one.title), ["write_file diff.txt", "write_file diff.txt"], "the calls");
    const history = seen.updates.length;

    await request(session.close, { sessionId: id });
    assertEqual((await failure(prompt(id, text("after the close")))).code, -32002, "the code after the close");
    const resumed = await request(session.resume, setup);
    assertEqual(resumed.modes.currentModeId, "ask", "the mode");
    assertEqual(seen.updates.length, history, "updates after a resume");
    assertEqual((await prompt(id, text("and now?"))).stopReason, "end_turn", "the stop after a resume");
    assert(seen.updates.length > history, "the resumed session sent nothing");
    const last = place.requests.at(-1);
    assert(last.includes("in the first process") && last.includes("and now?"), "the model does not see the conversation");

    await request(session.delete, { sessionId: id });
    assert(!(await request(session.list, {})).sessions.some((one) => one.sessionId === id), "the session is still listed");
    await request(session.delete, { sessionId: id });
    await failure(request(session.load, setup));
    assertEqual(readFileSync(join(place.project, "diff.txt"), "utf8"), "one\nthree\n", "the file");
    return `${history} updates of the history`;
  });
}

export const setup = {
  "initialize": initialize, "sign-in without a key": missingKey, "sign-in with a key": withKey,
  "list, load, close, resume, delete": stored,
};
