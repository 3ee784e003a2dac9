// The lines between a client and an agent: recorded, and checked against the published schema of the protocol.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Validators of the messages of an agent, by method. */
export class Schema {
  constructor(require) {
    const Ajv = require("ajv/dist/2020.js").default;
    const root = dirname(require.resolve("@agentclientprotocol/sdk")).split("/dist")[0];
    const schema = JSON.parse(readFileSync(join(root, "schema/v1/schema.json"), "utf8"));
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    ajv.addSchema(schema, "acp");
    const of = (side, suffix) => new Map(Object.entries(schema.$defs)
      .filter(([name, one]) => one["x-side"] === side && one["x-method"] && name.endsWith(suffix))
      .map(([name, one]) => [one["x-method"], ajv.compile({ $ref: `acp#/$defs/${name}` })]));
    this.requests = of("client", "Request");
    this.notifications = of("client", "Notification");
    this.responses = of("agent", "Response");
    this.error = ajv.compile({ $ref: "acp#/$defs/Error" });
    // The kinds of updates are an open set for a reader, but not for us.
    this.updates = new Set(JSON.stringify(schema.$defs.SessionUpdate).match(/"const":"\w+"/g).map((text) => text.slice(9, -1)));
  }

  /** Returns why a message of the agent is wrong. `method` is the one of the request that a response answers. */
  problems(message, method) {
    if (message.jsonrpc !== "2.0") return ["it is not JSON-RPC 2.0"];
    const check = (validate, value, what) => {
      if (!validate) return [`${what} is not in the schema`];
      return validate(value) ? [] : validate.errors.slice(0, 5).map((one) => `${what}: ${one.instancePath} ${one.message}`);
    };
    if (message.method === undefined) {
      if (message.error) return check(this.error, message.error, "the error");
      return check(this.responses.get(method), message.result, `the response to ${method}`);
    }
    if (message.method === "$/cancel_request") return [];
    const kind = message.params?.update?.sessionUpdate;
    const unknown = kind !== undefined && !this.updates.has(kind) ? [`the update ${kind} is not in the schema`] : [];
    const known = message.id === undefined ? this.notifications : this.requests;
    return [...unknown, ...check(known.get(message.method), message.params, message.method)];
  }
}

/** The messages of a connection in both directions. */
export class Wire {
  constructor(schema) {
    this.schema = schema;
    this.fromAgent = [];
    this.methods = new Map();
    this.problems = [];
  }

  /** Returns a stream that passes bytes on and reads their lines. */
  tap(read) {
    let rest = "";
    const decoder = new TextDecoder();
    return new TransformStream({
      transform: (chunk, controller) => {
        rest += decoder.decode(chunk, { stream: true });
        const lines = rest.split("\n");
        rest = lines.pop();
        for (const line of lines) if (line.trim()) read(line);
        controller.enqueue(chunk);
      },
    });
  }

  readClient(line) {
    const message = JSON.parse(line);
    if (message.method !== undefined && message.id !== undefined) this.methods.set(message.id, message.method);
  }

  readAgent(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      this.problems.push(`not JSON: ${line.slice(0, 200)}`);
      return;
    }
    this.fromAgent.push(message);
    const problems = this.schema.problems(message, this.methods.get(message.id));
    this.problems.push(...problems.map((text) => `${text}: ${line.slice(0, 300)}`));
  }

  /** Returns the requests of the agent with a method. */
  asked(method) {
    return this.fromAgent.filter((message) => message.method === method && message.id !== undefined);
  }
}
