// Frameworks over the official libraries: each runs its own loop of tools and reads a typed answer.

import assert from "node:assert/strict";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled, tool as agentTool } from "@openai/agents";
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOpenAI } from "@langchain/openai";
import { generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import { createAgent, tool as langchainTool } from "langchain";
import OpenAI from "openai";
import { z } from "zod";
import { ABOUT, ANSWER, MODEL, SYSTEM, checkPerson, weather } from "./talks.mjs";

setTracingDisabled(true);
const CITY = z.object({ city: z.string() });
const PERSON = z.object({ name: z.string(), age: z.number() });

const AI_MODELS = {
  "openai chat": (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" }).chat(MODEL),
  "openai responses": (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" }).responses(MODEL),
  "openai-compatible": (url) =>
    createOpenAICompatible({ name: "gateway", baseURL: `${url}/v1`, apiKey: "none", supportsStructuredOutputs: true, includeUsage: true })(MODEL),
  anthropic: (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "none" })(MODEL),
  google: (url) => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: "none" })(MODEL),
};

async function aiSdk(talk, kind) {
  const model = AI_MODELS[kind](talk.url);
  const tools = { weather: tool({ description: ABOUT, inputSchema: CITY, execute: async (city) => weather(city) }) };
  const options = { model, system: SYSTEM, prompt: talk.ask(), tools, stopWhen: stepCountIs(4), maxRetries: 0 };
  let failure;
  const streamed = streamText({ ...options, onError: ({ error }) => (failure = error) });
  let text = "";
  for await (const piece of streamed.textStream) text += piece;
  if (failure) throw failure;
  assert.ok(text.endsWith(ANSWER), `streamed ${text}`);
  assert.ok((await streamed.totalUsage).outputTokens > 0, "no usage");
  await talk.checkUpstream(2);
  assert.equal((await generateText(options)).text, ANSWER);
  if (kind === "anthropic") return;
  const { object } = await generateObject({ model, schema: PERSON, prompt: talk.ask("person-text"), maxRetries: 0 });
  checkPerson(object);
}

async function agents(talk, kind) {
  const client = new OpenAI({ baseURL: `${talk.url}/v1`, apiKey: "none", maxRetries: 0 });
  const model = new (kind === "chat" ? OpenAIChatCompletionsModel : OpenAIResponsesModel)(client, MODEL);
  const tools = [agentTool({ name: "weather", description: ABOUT, parameters: CITY, execute: async (city) => weather(city) })];
  const agent = new Agent({ name: "a", instructions: SYSTEM, model, tools });
  assert.equal((await run(agent, talk.ask())).finalOutput, ANSWER);
  await talk.checkUpstream(2);
  const streamed = await run(agent, talk.ask(), { stream: true });
  await streamed.completed;
  assert.equal(streamed.finalOutput, ANSWER);
  const typed = new Agent({ name: "b", instructions: SYSTEM, model, outputType: PERSON });
  checkPerson((await run(typed, talk.ask("person-text"))).finalOutput);
}

const LANGCHAIN_MODELS = {
  chat: (url) => new ChatOpenAI({ model: MODEL, apiKey: "none", maxRetries: 0, configuration: { baseURL: `${url}/v1` } }),
  responses: (url) =>
    new ChatOpenAI({ model: MODEL, apiKey: "none", maxRetries: 0, useResponsesApi: true, configuration: { baseURL: `${url}/v1` } }),
  anthropic: (url) => new ChatAnthropic({ model: MODEL, apiKey: "none", maxRetries: 0, anthropicApiUrl: url, maxTokens: 512 }),
  gemini: (url) => new ChatGoogleGenerativeAI({ model: MODEL, apiKey: "none", maxRetries: 0, baseUrl: url }),
};

async function langchain(talk, kind) {
  const model = LANGCHAIN_MODELS[kind](talk.url);
  const tools = [langchainTool(async (city) => weather(city), { name: "weather", description: ABOUT, schema: CITY })];
  const agent = createAgent({ model, tools, systemPrompt: SYSTEM });
  const result = await agent.invoke({ messages: [{ role: "user", content: talk.ask() }] });
  assert.equal(result.messages.at(-1).text, ANSWER);
  await talk.checkUpstream(2);
  let whole;
  for await (const chunk of await model.stream(talk.ask("person-text"))) whole = whole === undefined ? chunk : whole.concat(chunk);
  checkPerson(JSON.parse(whole.text));
  assert.ok(whole.usage_metadata?.output_tokens > 0, "no usage in the stream");
}

const bind = (run, kind) => (talk) => run(talk, kind);

export const CASES = [
  ...Object.keys(AI_MODELS).map((kind) => ["ai", `${kind}: stream, tools, object`, bind(aiSdk, kind)]),
  ...["chat", "responses"].map((kind) => ["@openai/agents", `${kind}: run, stream, typed`, bind(agents, kind)]),
  ...Object.keys(LANGCHAIN_MODELS).map((kind) => ["langchain", `${kind}: agent, stream`, bind(langchain, kind)]),
];
