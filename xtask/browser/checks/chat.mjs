// `useChat` of the AI SDK in a document of jsdom, and the client of AG-UI, with the example servers of windlass-ui-stream.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { assert, assertEqual } from "../pages.mjs";

const WAIT_MS = 60000;
const TEXT = "I write both files.";
const END = "One file is written.";

/** Starts an example server with a state of its own, and returns it with its address. */
async function startServer(setting, name, address) {
  const { place } = setting;
  const environment = {
    ...place.environment,
    WINDLASS_STATE_DIR: join(place.folder, `${name}-state`),
    OPENAI_BASE_URL: `${place.mock.match[1]}/v1`,
    OPENAI_API_KEY: "none",
    WINDLASS_MODEL: "scripted-1",
  };
  const program = join(setting.examples, name);
  const child = spawn(program, [address], { env: environment, cwd: place.project, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const url = await new Promise((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      output += chunk;
      const found = output.match(/http:\/\/\S+/);
      if (found) resolve(found[0]);
    });
    child.stderr.on("data", (chunk) => { output += chunk; });
    child.on("error", reject);
    child.on("exit", () => reject(new Error(`the example ended: ${output}`)));
  });
  return { child, url };
}

async function kill({ child }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** Opens a page with the hook. `until` waits for a value of the hook. */
async function openPage({ load }, url, options) {
  const { JSDOM } = await load("jsdom");
  const dom = new JSDOM("<!doctype html><div id=root></div>", { url });
  for (const name of ["window", "document", "navigator", "HTMLElement", "Node"]) {
    Object.defineProperty(globalThis, name, { value: name === "window" ? dom.window : dom.window[name], configurable: true });
  }
  const { default: React } = await load("react");
  const { default: { createRoot } } = await load("react-dom/client");
  const { useChat } = await load("@ai-sdk/react");
  const { DefaultChatTransport } = await load("ai");
  const transport = new DefaultChatTransport({ api: `${url}/chat` });
  let newest;
  const failures = [];
  // Each answer is sent at once, and once: the questions of parallel calls open one after the other.
  const sent = new Set();
  const sendAutomaticallyWhen = ({ messages }) => {
    const responded = (messages.at(-1)?.parts ?? []).filter((part) => part.state === "approval-responded");
    const fresh = responded.filter((part) => !sent.has(part.approval.id));
    for (const part of fresh) sent.add(part.approval.id);
    return fresh.length > 0;
  };
  const Page = () => {
    newest = useChat({ transport, sendAutomaticallyWhen, onError: (error) => failures.push(error), ...options });
    return React.createElement("ul", null, newest.messages.map((message) =>
      React.createElement("li", { key: message.id }, message.parts.map((part) => part.text ?? part.state ?? "").join("\n"))));
  };
  const root = createRoot(dom.window.document.getElementById("root"));
  root.render(React.createElement(Page));
  const until = async (name, fits) => {
    const deadline = Date.now() + WAIT_MS;
    for (;;) {
      if (failures.length) throw failures[0];
      if (newest && fits(newest)) return newest;
      if (Date.now() > deadline) throw new Error(`${name} did not happen: ${JSON.stringify(newest?.messages)}`);
      await new Promise((resolve) => { setTimeout(resolve, 20); });
    }
  };
  const close = () => {
    root.unmount();
    dom.window.close();
  };
  return { until, close, text: () => dom.window.document.body.textContent };
}

const toolsOf = (chat) => (chat.messages.at(-1)?.parts ?? []).filter((part) => part.type === "dynamic-tool" || part.type.startsWith("tool-"));
const statesOf = (chat) => toolsOf(chat).map((part) => part.state);
const isReady = (chat) => chat.status === "ready";
const textsOf = (message) => message.parts.filter((part) => part.type === "text").map((part) => part.text);
const isWritten = (setting, name) => existsSync(join(setting.place.project, name));

/** Two parallel calls: one is denied; the server is killed, and the page is loaded again before the other is approved. */
async function useChatRun(setting) {
  let server = await startServer(setting, "axum", "127.0.0.1:0");
  try {
    const first = await openPage(setting, server.url, { id: "chat" });
    const begun = await first.until("the page", (chat) => chat);
    begun.sendMessage({ text: "part chat: write two files" });
    const waiting = (chat) => isReady(chat) && statesOf(chat)[0] === "approval-requested";
    const asked = await first.until("the first approval", waiting);
    asked.addToolApprovalResponse({ id: toolsOf(asked)[0].approval.id, approved: false, reason: "not this file" });
    const half = (chat) => isReady(chat) && statesOf(chat).join() === "output-denied,approval-requested";
    const denied = await first.until("one denied call", (chat) => isReady(chat) && statesOf(chat)[1] === "approval-requested"
      && statesOf(chat)[0] !== "approval-requested");
    const { run } = denied.messages.at(-1).metadata;
    first.close();
    await kill(server);
    server = await startServer(setting, "axum", new URL(server.url).host);
    const second = await openPage(setting, server.url, { id: run, resume: true });
    const reloaded = await second.until("the reloaded run", half);
    assertEqual(reloaded.messages.length, 1, "messages after the reload");
    assertEqual(textsOf(reloaded.messages[0]), [TEXT], "the texts after the reload");
    assert(second.text().includes(TEXT), "the document does not show the text");
    assert(!isWritten(setting, "chat-a.txt") && !isWritten(setting, "chat-b.txt"), "a call ran without an approval");
    reloaded.addToolApprovalResponse({ id: toolsOf(reloaded)[1].approval.id, approved: true });
    const ended = await second.until("the end of the run", (chat) => isReady(chat) && textsOf(chat.messages.at(-1)).includes(END));
    assertEqual(ended.messages.length, 1, "messages at the end");
    assertEqual(statesOf(ended), ["output-denied", "output-available"], "the calls at the end");
    assertEqual(textsOf(ended.messages[0]), [TEXT, END], "the texts at the end");
    assert(second.text().includes(END), "the document does not show the end");
    assert(!isWritten(setting, "chat-a.txt"), "a denied call ran");
    assertEqual(readFileSync(join(setting.place.project, "chat-b.txt"), "utf8"), "b\n", "the written file");
    second.close();
    return `${ended.messages[0].parts.length} parts in one message`;
  } finally {
    await kill(server);
  }
}

/** The same run with the client of AG-UI, which keeps only the place in its state when the page is loaded again. */
async function agUiRun(setting) {
  let server = await startServer(setting, "ag_ui", "127.0.0.1:0");
  const { HttpAgent } = await setting.load("@ag-ui/client");
  const open = (options) => new HttpAgent({ url: `${server.url}/agent`, threadId: "t", ...options });
  const perform = async (agent, parameters) => {
    const failures = [];
    await agent.runAgent(parameters, { onRunErrorEvent: ({ event }) => { failures.push(event.message); } });
    assertEqual(failures, [], "errors of the run");
    return agent.pendingInterrupts ?? [];
  };
  const calls = (agent) => agent.messages.flatMap((message) => message.toolCalls ?? []).map((call) => call.id);
  const results = (agent) => agent.messages.filter((message) => message.role === "tool").map((message) => message.toolCallId);
  const texts = (agent) => agent.messages.filter((message) => message.role === "assistant" && message.content).map((message) => message.content);
  try {
    const first = open({ initialMessages: [{ id: "1", role: "user", content: "part agui: write two files" }] });
    let open1 = await perform(first, { runId: "1" });
    const answer = (interrupt, approved) => ({ interruptId: interrupt.id, status: "resolved", payload: { approved } });
    assert(open1.length > 0, "no interrupt");
    const [a, b] = calls(first);
    const no = open1.find((interrupt) => interrupt.toolCallId === a);
    assert(no, `no interrupt of the first call: ${JSON.stringify(open1)}`);
    // The client demands an answer to each interrupt of the run: the second one stays open.
    const resume = open1.map((interrupt) => (interrupt === no
      ? answer(interrupt, false)
      : { interruptId: interrupt.id, status: "resolved", payload: { later: true } }));
    open1 = await perform(first, { runId: "2", resume });
    assertEqual(results(first), [a], "the denied call");
    const { windlass } = first.state;
    await kill(server);
    server = await startServer(setting, "ag_ui", new URL(server.url).host);
    const second = open({ initialState: { windlass: { ...windlass, seq: 0 } } });
    const open2 = await perform(second, { runId: "3" });
    assertEqual(calls(second), [a, b], "the calls after the reload");
    assertEqual(results(second), [a], "the results after the reload");
    assertEqual(open2.map((interrupt) => interrupt.toolCallId), [b], "the interrupts after the reload");
    const left = await perform(second, { runId: "4", resume: [answer(open2[0], true)] });
    assertEqual(left, [], "interrupts at the end");
    assertEqual(results(second), [a, b], "the results at the end");
    assertEqual(texts(second), [TEXT, END], "the texts at the end");
    assert(!isWritten(setting, "agui-a.txt") && isWritten(setting, "agui-b.txt"), "the wrong file is written");
    return `${second.messages.length} messages`;
  } finally {
    await kill(server);
  }
}

export const chat = { "useChat": useChatRun, "client of AG-UI": agUiRun };
