// Serves the script of the conversations with a mock that this project did not write: npm @copilotkit/aimock.
//
// Usage: node second_mock.mjs SCRIPT. Prints {"base_url": URL}.

import { readFileSync } from "node:fs";
import { LLMock } from "@copilotkit/aimock";

const script = JSON.parse(readFileSync(process.argv[2], "utf8"));

// In the words of each format: without it the mock reports zeros.
const USAGE = {
  prompt_tokens: 30,
  completion_tokens: 12,
  total_tokens: 42,
  input_tokens: 30,
  output_tokens: 12,
  promptTokenCount: 30,
  candidatesTokenCount: 12,
  totalTokenCount: 42,
};

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
  if (turn === undefined) return { content: script.fallback, usage: USAGE };
  const content = turn.steps.map((step) => step.text ?? "").join("");
  const calls = turn.steps.filter((step) => step.call !== undefined).map((step) => step.call);
  const toolCalls = calls.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments ?? {}) }));
  if (toolCalls.length === 0) return { content, usage: USAGE };
  return content === "" ? { toolCalls, usage: USAGE } : { content, toolCalls, usage: USAGE };
}

const mock = new LLMock({ port: 0, logLevel: "silent" });
mock.on({ predicate: () => true }, play);
await mock.start();
console.log(JSON.stringify({ base_url: mock.url }));
