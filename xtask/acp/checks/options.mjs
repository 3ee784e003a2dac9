// Modes, options, forms, MCP servers and abilities of the client.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { assert, assertEqual, connect, failure, text, textOf } from "../editor.mjs";

const read = (setting, name) => readFileSync(join(setting.place.project, name), "utf8");

/** A mode of the session is the autonomy of its next run. */
async function modes(setting) {
  rmSync(join(setting.place.project, "mode.txt"), { force: true });
  return connect(setting, {}, async ({ seen, session, request, prompt }) => {
    const { sessionId, modes } = await request(session.new, { cwd: setting.place.project, mcpServers: [] });
    assertEqual(modes.availableModes.map(({ id }) => id), ["ask", "read-only", "auto-edit"], "the modes");
    await failure(request(session.setMode, { sessionId, modeId: "unknown" }));
    await request(session.setMode, { sessionId, modeId: "auto-edit" });
    assert(seen.updates.some((one) => one.sessionUpdate === "config_option_update"), "the option is not announced");
    assertEqual((await prompt(sessionId, text("part mode: write"))).stopReason, "end_turn", "the stop");
    assertEqual(seen.permissions.length, 0, "permissions");
    assertEqual(read(setting, "mode.txt"), "without a question\n", "the file");
    return "";
  });
}

/** The options of a session are those of its next run. */
async function options(setting) {
  return connect(setting, {}, async ({ seen, session, request, prompt }) => {
    const { sessionId, configOptions } = await request(session.new, { cwd: setting.place.project, mcpServers: [] });
    assertEqual(configOptions.map(({ category }) => category), ["mode", "model", "thought_level"], "the options");
    const set = (configId, value) => request(session.setConfigOption, { sessionId, configId, value });
    const changed = (await set("thought_level", "high")).configOptions;
    assertEqual(changed.map(({ currentValue }) => currentValue), ["ask", "scripted-1", "high"], "the values");
    await set("mode", "read-only");
    assert(seen.updates.some((one) => one.sessionUpdate === "current_mode_update" && one.currentModeId === "read-only"), "the mode is not announced");
    for (const [id, value] of [["thought_level", "much"], ["model", "unknown"], ["color", "red"]]) await failure(set(id, value));
    await prompt(sessionId, text("part content: with options"));
    const [body] = setting.place.requestsWith("part content: with options");
    assertEqual(body.reasoning_effort, "high", "the effort in the request");
    return "";
  });
}

/** Questions in words are forms of a client that shows forms, and texts for the others. */
async function forms(setting) {
  const fill = (params, seen) => [
    { action: "accept", content: { answer: "a deep blue" } },
    { action: "accept", content: { choice: "large" } },
    { action: "decline" },
  ][seen.forms.length - 1];
  return connect(setting, { abilities: { elicitation: { form: {} } }, fill }, async ({ seen, open, prompt }) => {
    const sessionId = await open();
    assertEqual((await prompt(sessionId, text("part form: ask"))).stopReason, "end_turn", "the stop");
    assertEqual(seen.forms.map(({ message, mode }) => [message, mode]),
      [["Which color?", "form"], ["Which size?", "form"], ["Which name?", "form"]], "the forms");
    assertEqual(seen.forms[1].requestedSchema.properties.choice.enum, ["small", "large"], "the proposed answers");
    const last = setting.place.requestsWith("part form: ask").at(-1);
    const results = last.messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content));
    for (const [at, part] of ["a deep blue", "large", "declined to answer"].entries()) {
      assert(results[at]?.includes(part), `the model got ${results[at]}, and not ${part}`);
    }
    assertEqual(textOf(seen.updates, "agent_message_chunk"), "Thank you.All is known.", "the text");
    return `${seen.forms.length} forms`;
  });
}

/** Without forms, a question in words ends the turn, and the next prompt answers it. */
async function questions(setting) {
  return connect(setting, {}, async ({ seen, open, prompt }) => {
    const sessionId = await open();
    await prompt(sessionId, text("part open: ask"));
    assertEqual(textOf(seen.updates, "agent_message_chunk"), "Which color?", "the question");
    await prompt(sessionId, text("green like grass"));
    const last = setting.place.requestsWith("part open: ask").at(-1);
    assert(JSON.stringify(last.messages).includes("green like grass"), "the model did not get the answer");
    return "";
  });
}

/** Programs and addresses of MCP servers that the client passes serve their tools. A resumed session gets them again. */
async function servers(setting) {
  const { place } = setting;
  writeFileSync(join(place.served, "fact.txt"), "the moon is 384400 km away\n");
  const served = ["--root", place.served, "--preset", "minimal", "--autonomy", "auto-edit", "--sandbox", "off"];
  const token = "a-token-of-the-suite-with-enough-letters";
  const [line] = await place.startServer(
    ["mcp", "serve", ...served, "--http", "127.0.0.1:0", "--json"], /\{.*\}/, { WINDLASS_MCP_TOKEN: token },
  );
  const { url } = JSON.parse(line);
  const environment = Object.entries(place.environment).map(([name, value]) => ({ name, value }));
  const program = { name: "My files", command: place.windlass, args: ["mcp", "serve", ...served], env: environment };
  const address = { type: "http", name: "remote", url, headers: [{ name: "Authorization", value: `Bearer ${token}` }] };
  const isRead = (part) => {
    const last = place.requestsWith(part).at(-1);
    return JSON.stringify(last.messages.at(-1)).includes("384400") || JSON.stringify(last.messages).includes("384400");
  };
  const id = await connect(setting, {}, async ({ seen, open, prompt }) => {
    const id = await open([program, address]);
    await prompt(id, text("part stdio: read"));
    assert(isRead("part stdio: read"), `the program's tool did not answer: ${JSON.stringify(seen.updates).slice(-1500)}`);
    await prompt(await open([program, address]), text("part http: read"));
    assert(isRead("part http: read"), `the address's tool did not answer: ${JSON.stringify(seen.updates).slice(-1500)}`);
    return id;
  });
  return connect(setting, {}, async ({ session, open, request, prompt }) => {
    const failed = await failure(open([{ type: "sse", name: "old", url, headers: [] }]));
    assert(failed.message.includes("SSE"), `the error says ${failed.message}`);
    await request(session.load, { sessionId: id, cwd: place.project, mcpServers: [program] });
    await prompt(id, text("and now?"));
    const names = place.requestsWith("part stdio: read").at(-1).tools.map((tool) => tool.function?.name);
    assert(names.includes("mcp__My_files__read_file"), `the loaded session has ${names}`);
    return `${names.filter((name) => name.startsWith("mcp__")).length} tools`;
  });
}

/** A client with all abilities is not asked about a new file, which the agent makes itself. */
async function abilities(setting) {
  rmSync(join(setting.place.project, "mode.txt"), { force: true });
  const all = { fs: { readTextFile: true, writeTextFile: true }, terminal: true, auth: { terminal: true }, session: { configOptions: { boolean: {} } } };
  return connect(setting, { abilities: all }, async ({ wire, open, prompt }) => {
    assertEqual((await prompt(await open(), text("part mode: with all abilities"))).stopReason, "end_turn", "the stop");
    assertEqual(read(setting, "mode.txt"), "without a question\n", "the file");
    const methods = [...new Set(wire.fromAgent.filter(({ id, method }) => method && id !== undefined).map(({ method }) => method))];
    assertEqual(methods, ["session/request_permission"], "the requests of the agent");
    return "a new file needs no request about files";
  });
}

export const settings = {
  "modes": modes, "options": options, "forms": forms, "questions without forms": questions,
  "MCP servers of the client": servers, "a client with all abilities": abilities,
};
