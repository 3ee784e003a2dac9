// The transcript of a session: one list item for each task, text, thought, call and notice.

import { clock, diffElement, element, visible } from "./dom.js";

/** Output of a call that is kept in the page. */
const OUTPUT_CHARACTERS = 100000;

/** Draws the events of a session into a list. */
export class Transcript {
  constructor(list) {
    this.list = list;
    this.calls = new Map();
    this.drafts = new Map();
    list.replaceChildren();
  }

  /** Draws an event. */
  draw(event) {
    const agent = event.agent ? `${event.agent.call} ${event.agent.names.join("/")}` : "";
    const method = this[event.kind];
    if (typeof method === "function" && KINDS.has(event.kind)) method.call(this, event, agent);
  }

  add(classes, agent, event, ...children) {
    const names = event.agent?.names ?? [];
    const who = names.length ? element("div", "quiet", names.join(" › ")) : null;
    const item = element("li", `${classes} ${names.length ? "below" : ""}`, who, ...children);
    item.dataset.seq = event.seq;
    this.list.append(item);
    return item;
  }

  /** Returns the element of a text that still arrives, and creates it at its first delta. */
  draft(key, event, agent, make) {
    let draft = this.drafts.get(key);
    if (!draft) {
      draft = make();
      draft.agent = agent;
      this.drafts.set(key, draft);
    }
    return draft;
  }

  /** Removes the streamed drafts of an agent's turn: the whole texts follow, or the attempt failed. */
  clearDrafts(agent) {
    for (const [key, draft] of this.drafts) {
      if (draft.agent !== agent) continue;
      draft.item.remove();
      this.drafts.delete(key);
    }
  }

  grow(draft, event) {
    const before = new TextEncoder().encode(draft.body.textContent).length;
    if (event.offset < before) draft.body.textContent = "";
    draft.body.append(event.text);
  }

  run_started(event, agent) {
    this.add("person", agent, event, visible(event.task), element("div", "time", clock(event.at_ms)));
  }

  run_resumed(event, agent) {
    this.add("quiet", agent, event, `resumed (${event.generation})`);
  }

  message(event, agent) {
    const isPerson = event.source === "person" || event.source === "next_task";
    if (isPerson) this.add("person", agent, event, visible(event.text));
  }

  message_queued(event, agent) {
    this.add("quiet", agent, event, `queued${event.after_task ? " after the task" : ""}: ${visible(event.text)}`);
  }

  text_delta(event, agent) {
    const draft = this.draft(`text ${agent} ${event.turn} ${event.index}`, event, agent, () => {
      const body = element("div", "text live");
      return { item: this.add("draft", agent, event, body), body };
    });
    this.grow(draft, event);
  }

  reasoning_delta(event, agent) {
    const draft = this.draft(`thought ${agent} ${event.turn} ${event.index}`, event, agent, () => {
      const body = element("pre", "live");
      const details = element("details", "thought", element("summary", "", "Thinking"), body);
      return { item: this.add("draft", agent, event, details), body };
    });
    this.grow(draft, event);
  }

  call_started(event, agent) {
    this.draft(`call ${event.call}`, event, agent, () => {
      const body = element("pre", "live");
      const head = element("div", "", "→ ", element("span", "tool", visible(event.tool)));
      return { item: this.add("call draft", agent, event, head, body), body };
    });
  }

  arguments_delta(event, agent) {
    const draft = this.drafts.get(`call ${event.call}`);
    if (draft) this.grow(draft, event);
  }

  text(event, agent) {
    this.endTurn(agent, event);
    this.add("answer", agent, event, element("div", "text", visible(event.text)));
  }

  reasoning(event, agent) {
    this.endTurn(agent, event);
    const details = element("details", "thought", element("summary", "", "Thought"), element("pre", "", visible(event.text)));
    this.add("", agent, event, details);
  }

  call(event, agent) {
    this.endTurn(agent, event);
    const words = typeof event.arguments === "string" ? event.arguments : JSON.stringify(event.arguments, null, 2);
    const status = element("span", "quiet", "…");
    const decision = element("div", "quiet");
    const output = element("pre", "output");
    output.hidden = true;
    const result = element("div", "result");
    const summary = element("summary", "", element("span", "tool", visible(event.tool)), " ", brief(event.arguments), " ", status);
    const details = element("details", "", summary, element("pre", "", visible(words)), decision, output, result);
    const item = this.add("call", agent, event, details);
    item.dataset.call = event.call;
    this.calls.set(`${agent} ${event.call}`, { status, decision, output, result, details });
  }

  endTurn(agent, event) {
    const key = `${agent} ${event.turn}`;
    if (this.ended !== key) {
      this.clearDrafts(agent);
      this.ended = key;
    }
  }

  turn_ended(event, agent) {
    this.clearDrafts(agent);
    this.ended = null;
  }

  retry(event, agent) {
    this.clearDrafts(agent);
    const wait = event.delay_ms ? `; again in ${Math.ceil(event.delay_ms / 1000)} s` : "";
    this.add("warn", agent, event, `${visible(event.reason)}${wait}`);
  }

  decision(event, agent) {
    const call = this.calls.get(`${agent} ${event.call}`);
    if (call) call.decision.textContent = `${event.verdict}: ${visible(event.reason)} (${event.rule}, risk ${event.risk})`;
  }

  call_running(event, agent) {
    const call = this.calls.get(`${agent} ${event.call}`);
    if (call) call.status.textContent = "running";
  }

  call_deferred(event, agent) {
    const call = this.calls.get(`${agent} ${event.call}`);
    if (call) call.status.textContent = "works elsewhere";
  }

  call_output(event, agent) {
    const call = this.calls.get(`${agent} ${event.call}`);
    if (!call) return;
    call.output.hidden = false;
    if (event.left_out) call.output.append(`[${event.left_out} bytes left out]\n`);
    call.output.append(visible(event.text));
    const text = call.output.textContent;
    if (text.length > OUTPUT_CHARACTERS) call.output.textContent = text.slice(-OUTPUT_CHARACTERS / 2);
  }

  result(event, agent) {
    const call = this.calls.get(`${agent} ${event.call}`);
    const text = element("pre", "", visible(event.text));
    if (!call) {
      this.add("call", agent, event, element("span", event.status, event.status), text);
      return;
    }
    call.status.className = event.status === "ok" ? "ok" : "error";
    call.status.textContent = event.status;
    call.output.hidden = true;
    call.result.replaceChildren(text);
    if (event.images) call.result.append(element("p", "quiet", `${event.images} pictures`));
  }

  question_closed(event, agent) {
    const how = { approved: "approved", denied: "denied", answered: "answered", timed_out: "not answered in time" };
    const by = event.by ? ` in ${visible(event.by)}` : "";
    const words = event.comment ?? event.words;
    this.add("quiet", agent, event, `${how[event.answer] ?? event.answer}${by}${words ? `: ${visible(words)}` : ""}`);
  }

  question_postponed(event, agent) {
    this.add("quiet", agent, event, "the question stays open");
  }

  turn_diff(event, agent) {
    const lines = event.diff.split("\n");
    const count = (start, not) => lines.filter((line) => line.startsWith(start) && !line.startsWith(not)).length;
    const summary = element("summary", "", `Changed files: +${count("+", "+++")} −${count("-", "---")}`);
    this.add("", agent, event, element("details", "thought", summary, diffElement(event.diff)));
  }

  compacted(event, agent) {
    this.add("quiet", agent, event, "the conversation was shortened");
  }

  mode(event, agent) {
    this.add("quiet", agent, event, `mode: ${visible(event.mode)}`);
  }

  notice(event, agent) {
    this.add("warn", agent, event, visible(event.text));
  }

  error(event, agent) {
    this.add("failed", agent, event, visible(event.message));
  }

  run_ended(event, agent) {
    if (agent) return;
    this.clearDrafts(agent);
    const { outcome } = event;
    if (outcome.state === "completed") this.completed(event, agent, outcome.text);
    if (outcome.state === "failed") this.add("failed", agent, event, visible(outcome.message));
    if (outcome.state === "stopped") this.add("warn", agent, event, `stopped: ${outcome.cause}`);
    if (outcome.state === "suspended") this.add("warn", agent, event, "suspended: it continues after the open questions are answered");
  }

  /** Adds the final text, unless the last answer was the same text. */
  completed(event, agent, text) {
    const last = this.list.lastElementChild?.querySelector(".text")?.textContent;
    if (text && last !== visible(text)) this.add("answer", agent, event, element("div", "text", visible(text)));
  }
}

/** The kinds that a transcript draws. An unknown kind of a later version is left out. */
const KINDS = new Set([
  "run_started", "run_resumed", "message", "message_queued", "text_delta", "reasoning_delta", "call_started",
  "arguments_delta", "text", "reasoning", "call", "turn_ended", "retry", "decision", "call_running", "call_deferred",
  "call_output", "result", "question_closed", "question_postponed", "turn_diff", "compacted", "mode", "notice", "error",
  "run_ended",
]);

/** Returns the most telling argument of a call, for its first line. */
function brief(values) {
  if (typeof values === "string") return visible(values.slice(0, 80));
  const names = ["path", "command", "query", "pattern", "url", "task"];
  const found = names.map((name) => values?.[name]).find((value) => typeof value === "string");
  return element("span", "quiet", visible((found ?? "").slice(0, 80)));
}
