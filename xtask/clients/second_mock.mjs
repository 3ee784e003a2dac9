// Serves the script of the conversations with a mock that this project did not write: npm @copilotkit/aimock.
//
// Usage: node second_mock.mjs SCRIPT. Prints {"base_url": URL}.

import { readFileSync } from "node:fs";
import { LLMock } from "@copilotkit/aimock";

const script = JSON.parse(readFileSync(process.argv[2], "utf8"));

function textOf(message) {
  if (typeof message.content === "string") return message.content;
  return (message.content ?? []).map((part) => part.text ?? "").join("");
}

// The mock can split one answer with a text and calls into two assistant messages.
function turnNumber(messages) {
  const isAnswer = (message) => message?.role === "assistant";
  return messages.filter((message, at) => isAnswer(message) && !isAnswer(messages[at - 1])).length;
}

function play({ messages }) {
  const words = messages.map(textOf).join("\n");
  const key = Object.keys(script.parts).find((part) => words.includes(part));
  const turn = (script.parts[key] ?? script.turns)[turnNumber(messages)];
  if (turn === undefined) return { content: script.fallback };
  const content = turn.steps.map((step) => step.text ?? "").join("");
  const calls = turn.steps.filter((step) => step.call !== undefined).map((step) => step.call);
  const toolCalls = calls.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments ?? {}) }));
  if (toolCalls.length === 0) return { content };
  return content === "" ? { toolCalls } : { content, toolCalls };
}

const mock = new LLMock({ port: 0, logLevel: "silent" });
mock.on({ predicate: () => true }, play);
await mock.start();
console.log(JSON.stringify({ base_url: mock.url }));
