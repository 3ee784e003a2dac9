// The conversations that every library of npm has, and the proof that they reached the upstream whole.

import assert from "node:assert/strict";

export const SYSTEM = "You are a brief weather service.";
export const FIRST = "I look.";
export const ANSWER = "Zürich has 12 degrees, and São Paulo has 31.";
export const AGAIN = "Yes, as I said.";
export const MODEL = "scripted-1";
export const ABOUT = "Returns the weather of a city.";
export const SCHEMA = {
  type: "object",
  properties: { city: { type: "string", description: "The name of a city." } },
  required: ["city"],
  additionalProperties: false,
};
export const PERSON = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name", "age"],
  additionalProperties: false,
};
const DEGREES = { Zürich: "12 Celsius", "São Paulo": "31 Celsius" };

export function weather({ city }) {
  assert.ok(city in DEGREES, `unknown city ${city}`);
  return `It has ${DEGREES[city]}.`;
}

export function checkPerson(person) {
  assert.deepEqual({ name: person.name, age: person.age }, { name: "Ada Lovelace", age: 36 });
}

/** One conversation of one library through one gateway. */
export class Talk {
  constructor(stack, upstream, id) {
    this.url = stack.gateways[upstream];
    this.recorder = stack.recorder;
    this.id = id;
  }

  /** Returns the first message, by which the mock finds its script and the recorder the requests. */
  ask(kind = "weather") {
    return `${kind}-talk case=${this.id}: how is the weather in Zürich and São Paulo? Who was Ada Lovelace?`;
  }

  async recorded() {
    const answer = await fetch(`${this.recorder}/recorded?case=${encodeURIComponent(this.id)}`);
    return answer.json();
  }

  /** Checks that the upstream got the system prompt, and the results of both calls, once each. */
  async checkUpstream(requests) {
    const recorded = await this.recorded();
    assert.deepEqual(recorded.map(({ status }) => status).filter((status) => status !== 200), [], "refused upstream");
    assert.equal(recorded.length, requests, "requests upstream");
    const last = recorded.at(-1).body.normalize();
    for (const words of [...Object.values(DEGREES), SYSTEM]) {
      assert.equal(last.split(words).length - 1, 1, `occurrences of ${words} in the last request`);
    }
  }
}
