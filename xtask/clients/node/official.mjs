// The official libraries of the providers, with their own helpers: streams, tool runners, chats.

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { ABOUT, AGAIN, ANSWER, FIRST, MODEL, PERSON, SCHEMA, SYSTEM, checkPerson, weather } from "./talks.mjs";

const openai = (talk) => new OpenAI({ baseURL: `${talk.url}/v1`, apiKey: "none", maxRetries: 0 });
const anthropic = (talk) => new Anthropic({ baseURL: talk.url, apiKey: "none", maxRetries: 0 });
const gemini = (talk) => new GoogleGenAI({ apiKey: "none", vertexai: false, httpOptions: { baseUrl: talk.url } });

async function chatToolRunner(talk) {
  const runner = openai(talk).chat.completions.runTools({
    model: MODEL,
    stream: true,
    messages: [{ role: "system", content: SYSTEM }, { role: "user", content: talk.ask() }],
    tools: [{ type: "function", function: { name: "weather", description: ABOUT, parameters: SCHEMA, function: weather, parse: JSON.parse } }],
  });
  assert.equal(await runner.finalContent(), ANSWER);
  await talk.checkUpstream(2);
}

async function responsesStream(talk) {
  const client = openai(talk);
  const input = [{ role: "user", content: talk.ask() }];
  const tools = [{ type: "function", name: "weather", description: ABOUT, parameters: SCHEMA, strict: true }];
  const turn = async () => {
    const stream = client.responses.stream({ model: MODEL, instructions: SYSTEM, input, tools, store: false });
    let text = "";
    stream.on("response.output_text.delta", (event) => (text += event.delta));
    const response = await stream.finalResponse();
    assert.ok(response.usage.output_tokens > 0, "no usage");
    return { response, text };
  };
  const first = await turn();
  assert.equal(first.text, FIRST);
  for (const item of first.response.output) {
    const { parsed_arguments: _, ...sent } = item;
    if (sent.content) sent.content = sent.content.map(({ parsed: _, ...part }) => part);
    input.push(sent);
  }
  for (const call of first.response.output.filter((item) => item.type === "function_call")) {
    input.push({ type: "function_call_output", call_id: call.call_id, output: weather(JSON.parse(call.arguments)) });
  }
  assert.equal((await turn()).text, ANSWER);
  await talk.checkUpstream(2);
}

async function messageStream(talk) {
  const client = anthropic(talk);
  const tools = [{ name: "weather", description: ABOUT, input_schema: SCHEMA }];
  const messages = [{ role: "user", content: talk.ask() }];
  const turn = () => client.messages.stream({ model: MODEL, max_tokens: 512, system: SYSTEM, messages, tools }).finalMessage();
  const text = (message) => message.content.filter((block) => block.type === "text").map((block) => block.text).join("");
  const first = await turn();
  assert.equal(text(first), FIRST);
  assert.equal(first.stop_reason, "tool_use");
  const calls = first.content.filter((block) => block.type === "tool_use");
  const results = calls.map((call) => ({ type: "tool_result", tool_use_id: call.id, content: weather(call.input) }));
  messages.push({ role: "assistant", content: first.content }, { role: "user", content: results });
  const second = await turn();
  assert.equal(text(second), ANSWER);
  messages.push({ role: "assistant", content: second.content }, { role: "user", content: "Really?" });
  assert.equal(text(await turn()), AGAIN);
  await talk.checkUpstream(3);
}

async function messageToolRunner(talk) {
  const tool = betaTool({ name: "weather", description: ABOUT, inputSchema: SCHEMA, run: weather });
  const message = await anthropic(talk).beta.messages.toolRunner({
    model: MODEL,
    max_tokens: 512,
    system: SYSTEM,
    messages: [{ role: "user", content: talk.ask() }],
    tools: [tool],
  });
  assert.equal(message.content.map((block) => block.text ?? "").join(""), ANSWER);
}

async function chatStream(talk) {
  const tools = [{ functionDeclarations: [{ name: "weather", description: ABOUT, parametersJsonSchema: SCHEMA }] }];
  const chat = gemini(talk).chats.create({ model: MODEL, config: { systemInstruction: SYSTEM, tools } });
  const say = async (message) => {
    let [text, calls] = ["", []];
    for await (const chunk of await chat.sendMessageStream({ message })) {
      for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
        text += part.text ?? "";
        if (part.functionCall) calls.push(part.functionCall);
      }
    }
    return { text, calls };
  };
  const first = await say(talk.ask());
  assert.equal(first.text, FIRST);
  const results = first.calls.map(({ id, name, args }) => ({ functionResponse: { id, name, response: { output: weather(args) } } }));
  assert.equal((await say(results)).text, ANSWER);
  assert.equal((await say("Really?")).text, AGAIN);
  await talk.checkUpstream(3);
}

async function geminiSchema(talk) {
  const config = { responseMimeType: "application/json", responseJsonSchema: PERSON };
  const answer = await gemini(talk).models.generateContent({ model: MODEL, contents: talk.ask("person-text"), config });
  checkPerson(JSON.parse(answer.text));
}

export const CASES = [
  ["openai", "chat: streamed tool runner", chatToolRunner],
  ["openai", "responses: streams, tools", responsesStream],
  ["@anthropic-ai/sdk", "streams, tools, three turns", messageStream],
  ["@anthropic-ai/sdk", "tool runner", messageToolRunner],
  ["@google/genai", "chat, streamed, tools", chatStream],
  ["@google/genai", "schema of JSON", geminiSchema],
];
