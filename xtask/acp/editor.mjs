// An editor: the official library as the client of a process of `windlass acp`.

import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";

import { Wire } from "./wire.mjs";

/** Fails with a message unless a condition holds. */
export function assert(condition, message) {
  if (!condition) throw new Error(message);
}

export function assertEqual(left, right, message) {
  const [first, second] = [JSON.stringify(left), JSON.stringify(right)];
  assert(first === second, `${message}: ${first?.slice(0, 1500)} is not ${second?.slice(0, 1500)}`);
}

/** Selects the option of a permission with a kind. */
export function select(params, kind) {
  const option = params.options.find((one) => one.kind === kind);
  assert(option, `no option ${kind} in ${JSON.stringify(params.options)}`);
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}

export const textOf = (updates, kind) => updates.filter((one) => one.sessionUpdate === kind).map((one) => one.content.text).join("");

export const text = (words) => [{ type: "text", text: words }];

/** Waits until a condition holds. */
export async function until(condition, what) {
  const deadline = Date.now() + 60000;
  while (!condition()) {
    assert(Date.now() < deadline, `no ${what} within a minute`);
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
}

/**
 * Starts an agent, connects the library, and runs `work` with the connection. Each message of the agent must follow the
 * schema. The options are the command-line words, the environment, the abilities of the client, its files, and its
 * answers to permissions and forms.
 */
export async function connect(setting, options, work) {
  const { place, acp, schema } = setting;
  const words = ["acp", ...(options.words ?? place.provider), "--root", place.project, "--sandbox", "off"];
  const environment = { ...place.environment, ...options.environment };
  const child = spawn(place.windlass, words, { env: environment, stdio: ["pipe", "pipe", "pipe"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  let errors = "";
  child.stderr.on("data", (chunk) => { errors = (errors + chunk).slice(-4000); });
  const wire = new Wire(schema);
  const input = wire.tap((line) => wire.readClient(line));
  input.readable.pipeTo(Writable.toWeb(child.stdin)).catch(() => {});
  const output = Readable.toWeb(child.stdout).pipeThrough(wire.tap((line) => wire.readAgent(line)));
  const seen = { updates: [], permissions: [], forms: [], files: [], cancelled: 0 };
  const client = acp.client({ name: "windlass-suite" })
    .onNotification(acp.methods.client.session.update, ({ params }) => { seen.updates.push(params.update); })
    .onRequest(acp.methods.client.session.requestPermission, async ({ params, signal }) => {
      seen.permissions.push(params);
      signal?.addEventListener("abort", () => { seen.cancelled += 1; });
      return (options.permit ?? ((asked) => select(asked, "allow_once")))(params, seen);
    })
    .onRequest(acp.methods.client.fs.readTextFile, async ({ params }) => {
      seen.files.push(params.path);
      return options.files.read(params);
    })
    .onRequest(acp.methods.client.fs.writeTextFile, async ({ params }) => {
      seen.files.push(params.path);
      return options.files.write(params);
    })
    .onRequest(acp.methods.client.elicitation.create, async ({ params }) => {
      seen.forms.push(params);
      return options.fill(params, seen);
    });
  let result;
  try {
    result = await client.connectWith(acp.ndJsonStream(input.writable, output), async (context) => {
      const agent = await context.request(acp.methods.agent.initialize, {
        protocolVersion: acp.PROTOCOL_VERSION,
        clientCapabilities: options.abilities ?? {},
        clientInfo: { name: "windlass-suite", version: "1" },
      });
      const { session, authenticate } = acp.methods.agent;
      const request = (method, params) => context.request(method, params);
      const open = async (mcpServers = []) => (await request(session.new, { cwd: place.project, mcpServers })).sessionId;
      const prompt = (sessionId, blocks) => request(session.prompt, { sessionId, prompt: blocks });
      return work({ context, agent, seen, wire, session, authenticate, request, open, prompt });
    });
  } catch (error) {
    throw new Error(`${error.stack ?? error}\n${JSON.stringify(error.data ?? "")}\n${errors}`);
  } finally {
    child.stdin.destroy();
    const timer = setTimeout(() => child.kill("SIGKILL"), 20000);
    await exited;
    clearTimeout(timer);
  }
  assertEqual(wire.problems, [], "messages that do not follow the schema");
  setting.messages += wire.fromAgent.length;
  return result;
}

/** Returns the error of a request that has to fail. */
export async function failure(pending) {
  try {
    await pending;
  } catch (error) {
    return error;
  }
  throw new Error("the request did not fail");
}
