// Reads streams with the official clients, and prints what they made of them as JSON.
// Usage: node read.mjs FILE, where FILE has {"v6": [SSE], "v7": [SSE], "agUi": [SSE]}: the streams of one run.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const packages = process.env.WINDLASS_UI_CLIENTS ?? import.meta.dirname;
const require = createRequire(pathToFileURL(join(packages, "package.json")));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
const input = JSON.parse(readFileSync(process.argv[2], "utf8"));
const response = (text, type, headers) => new Response(text, { headers: { "content-type": type, ...headers } });

/** Sends the streams through the transport of useChat, one request each, on one message. */
async function readChat(ai, streams, headers) {
  let message;
  for (const stream of streams) {
    const fetch = async () => response(stream, "text/event-stream", headers);
    const transport = new ai.DefaultChatTransport({ api: "http://chat.invalid/", fetch });
    const chunks = await transport.sendMessages({ trigger: "submit-message", chatId: "c", messages: [] });
    const errors = [];
    const onError = (error) => errors.push(String(error));
    for await (const next of ai.readUIMessageStream({ message, stream: chunks, onError })) message = next;
    if (errors.length > 0) throw new Error(errors.join("\n"));
  }
  return message;
}

/** Sends the streams through the client of AG-UI, one run each, on one thread. */
async function readAgUi(client, streams) {
  const fetch = async () => response(streams.shift(), "text/event-stream", {});
  const agent = new client.HttpAgent({ url: "http://agent.invalid/", fetch, threadId: "t" });
  const runs = [];
  const count = streams.length;
  for (let number = 0; number < count; number++) {
    const events = [];
    const subscriber = { onEvent: ({ event }) => { events.push(event.type); } };
    const pending = agent.pendingInterrupts ?? [];
    const resume = pending.map(({ id }) => ({ interruptId: id, status: "resolved", payload: { approved: true } }));
    const parameters = { runId: `run-${number + 1}`, ...(resume.length > 0 ? { resume } : {}) };
    await agent.runAgent(parameters, subscriber);
    runs.push({ events, interrupts: (agent.pendingInterrupts ?? []).map(({ id }) => id) });
  }
  return { runs, messages: agent.messages, state: agent.state };
}

const headers = input.headers;
const result = {
  v6: await readChat(await load("ai-v6"), input.v6, headers),
  v7: await readChat(await load("ai-v7"), input.v7, headers),
  agUi: await readAgUi(await load("@ag-ui/client"), input.agUi),
};
console.log(JSON.stringify(result));
