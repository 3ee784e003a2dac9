// `useChat` of the AI SDK, in a document of jsdom, as the client of the example server of windlass-ui-stream.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { assert, assertEqual } from "../pages.mjs";

const WAIT_MS = 60000;

/** Starts the example server, and returns it with its address. */
async function startServer(setting, address) {
  const { place, example } = setting;
  const environment = {
    ...place.environment,
    WINDLASS_STATE_DIR: join(place.folder, "chat-state"),
    OPENAI_BASE_URL: `${place.mock.match[1]}/v1`,
    WINDLASS_MODEL: "scripted-1",
  };
  const child = spawn(example, [address], { env: environment, cwd: place.project, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const url = await new Promise((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      output += chunk;
      const found = output.match(/http:\/\/\S+/);
      if (found) resolve(found[0]);
    });
    child.stderr.on("data", (chunk) => { output += chunk; });
    child.on("exit", () => reject(new Error(`the example ended: ${output}`)));
  });
  return { child, url };
}

async function kill(server) {
  const ended = new Promise((resolve) => server.child.once("exit", resolve));
  server.child.kill("SIGKILL");
  await ended;
}

/** Opens a page with the hook. `chat()` returns the newest value of the hook. */
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

/** Two parallel calls: one is denied, the other is approved after a restart of the server and a reload of the page. */
async function useChatRun(setting) {
  if (!setting.example) return "skipped: the example is not built";
  let server = await startServer(setting, "127.0.0.1:0");
  try {
    const first = await openPage(setting, server.url, { id: "chat" });
    const begun = await first.until("the page", (chat) => chat);
    begun.sendMessage({ text: "part chat: write two files" });
    const waiting = (chat) => isReady(chat) && statesOf(chat).join() === "approval-requested,input-available";
    const asked = await first.until("the first approval", waiting);
    asked.addToolApprovalResponse({ id: toolsOf(asked)[0].approval.id, approved: false, reason: "not this file" });
    const half = (chat) => isReady(chat) && /^(output-denied|approval-responded|input-available),approval-requested$/.test(statesOf(chat).join());
    const denied = await first.until("one denied call", half);
    const { run } = denied.messages.at(-1).metadata;
    first.close();
    await kill(server);
    server = await startServer(setting, new URL(server.url).host);
    const second = await openPage(setting, server.url, { id: run, resume: true });
    const reloaded = await second.until("the reloaded run", half);
    assertEqual(reloaded.messages.length, 1, "messages after the reload");
    reloaded.addToolApprovalResponse({ id: toolsOf(reloaded)[1].approval.id, approved: true });
    const finished = (chat) => isReady(chat) && statesOf(chat).slice(0, 2).join() === "output-denied,output-available"
      && chat.messages.at(-1).metadata.state === "completed";
    const ended = await second.until("the end of the run", finished);
    const texts = ended.messages.flatMap((message) => message.parts).filter((part) => part.type === "text").map((part) => part.text);
    assertEqual(texts.filter((text) => text === "I write both files.").length, 1, `texts ${JSON.stringify(texts)}`);
    assertEqual(texts.at(-1), "One file is written.", "the last text");
    assert(second.text().includes("One file is written."), "the document does not show the text");
    const files = ["chat-a.txt", "chat-b.txt"].map((name) => existsSync(join(setting.place.project, name)));
    assertEqual(files, [false, true], "the files");
    second.close();
    return `${ended.messages.at(-1).parts.length} parts`;
  } finally {
    await kill(server);
  }
}

export const chat = { "useChat": useChatRun };
