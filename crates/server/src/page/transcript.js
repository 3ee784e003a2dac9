// The transcript of a session: one list item for each task, text, thought, call and notice.

import { LiveArguments, argumentsElement, brief } from "./arguments.js";
import { TerminalView, codeElement, diffElement, splitDiff, terminalElement } from "./code.js";
import { button, clock, count, element, folded, visible } from "./dom.js";
import { MarkdownView, markdownElement } from "./markdown.js";

/** Output of a call that is kept in the page. */
const OUTPUT_CHARACTERS = 100000;

/** Items that stay in the document. Earlier ones wait outside of it, so that a long run scrolls like a short one. */
const SHOWN_ITEMS = 300;
/** Items that enter or leave the document at once. */
const ITEM_STEP = 150;

/** Tools whose results are the output of programs. */
const TERMINALS = new Set([
  "run_command", "exec_command", "run_pty_cmd", "create_pty_session", "read_pty_session", "send_pty_input", "write_stdin",
]);

/** Distance from the end at which a view counts as being at its end. */
const END_PIXELS = 30;

const isAtEnd = (found) => found.scrollHeight - found.scrollTop - found.clientHeight < END_PIXELS;

const encoder = new TextEncoder();

/** Draws the events of a session into a list. `actions` has the functions of buttons. */
export class Transcript {
  constructor(list, actions) {
    this.list = list;
    this.actions = actions;
    this.calls = new Map();
    this.drafts = new Map();
    this.agents = new Map();
    this.hosted = [];
    this.questions = new Map();
    this.answered = null;
    this.lastText = "";
    this.earlier = [];
    list.replaceChildren();
  }

  /** Draws an event. */
  draw(event) {
    if (!KINDS.has(event.kind)) return;
    const agent = event.agent ? `${event.agent.call} ${event.agent.names.join("/")}` : "";
    this[event.kind](event, agent);
  }

  add(classes, event, ...children) {
    const item = element("li", classes, ...children);
    item.dataset.seq = event.seq;
    item.dataset.kind = event.kind;
    this.listOf(event.agent).append(item);
    return item;
  }

  /** Takes the oldest items out of the document. */
  trim() {
    while (this.list.childElementCount > SHOWN_ITEMS + ITEM_STEP) {
      const items = [...this.list.children].slice(0, ITEM_STEP);
      const group = document.createDocumentFragment();
      group.append(...items);
      this.earlier.push(group);
    }
  }

  /** Returns the number of items outside of the document. */
  countEarlier() {
    return this.earlier.reduce((sum, group) => sum + group.childElementCount, 0);
  }

  /** Puts the newest of the items outside of the document back. */
  showEarlier() {
    const group = this.earlier.pop();
    if (group) this.list.prepend(group);
  }

  /** Returns the list of an agent, below the call that started it and the agents above it. */
  listOf(agent) {
    if (!agent) return this.list;
    let list = this.calls.get(` ${agent.call}`)?.children ?? this.list;
    let key = agent.call;
    for (const name of agent.names) {
      key += `/${name}`;
      let found = this.agents.get(key);
      if (!found) {
        const status = element("span", "state working", "working");
        const inner = element("ol", "log");
        const details = element("details", "agent", element("summary", "", "Agent ", element("span", "tool", visible(name)), " ", status), inner);
        details.open = true;
        list.append(element("li", "agent-item", details));
        list.hidden = false;
        found = { inner, status, details };
        this.agents.set(key, found);
      }
      list = found.inner;
    }
    return list;
  }

  /** Returns a text that still arrives, and creates it at its first delta. */
  draft(key, agent, make) {
    let draft = this.drafts.get(key);
    if (!draft) {
      draft = { ...make(), agent, bytes: 0 };
      this.drafts.set(key, draft);
    }
    return draft;
  }

  /** Returns the parts of drafts that a person scrolled away from their end. */
  scrolledParts() {
    return new Set(this.draftParts().filter((part) => !isAtEnd(part)));
  }

  /** Scrolls the parts of drafts to their end, except those that a person scrolled. */
  followDrafts(scrolled) {
    for (const part of this.draftParts()) if (!scrolled.has(part)) part.scrollTop = part.scrollHeight;
  }

  draftParts() {
    return [...this.drafts.values()].flatMap(({ item }) => [...item.querySelectorAll("pre")]);
  }

  /** Removes the streamed drafts of an agent's turn: the whole texts follow, or the attempt failed. */
  clearDrafts(agent) {
    for (const [key, draft] of this.drafts) {
      if (draft.agent !== agent) continue;
      draft.item.remove();
      this.drafts.delete(key);
    }
  }

  /** Appends a delta. A reader that connects again gets the text from its beginning. */
  grow(draft, event) {
    if (event.offset < draft.bytes) {
      draft.body.replaceChildren();
      draft.view = draft.makeView(draft.body, draft);
      draft.bytes = event.offset;
    }
    draft.bytes += encoder.encode(event.text).length;
    draft.view(event.text);
  }

  run_started(event) {
    const files = this.filesOf(event, event.task);
    this.add("person", event, element("div", "words", visible(event.task)), ...files, element("div", "time", clock(event.at_ms)));
  }

  filesOf(event, text) {
    const names = event.files ?? [];
    return this.actions?.files?.(event.session, text, names) ?? names.map((name) => element("span", "attached", visible(name)));
  }

  history_imported(event) {
    this.add("quiet", event, `begins with ${count(event.messages, "message")} of an earlier run`);
  }

  run_resumed(event) {
    this.add("quiet", event, "resumed");
  }

  message(event) {
    const isPerson = event.source === "person" || event.source === "next_task";
    if (!isPerson) return;
    const files = this.filesOf(event, event.text);
    this.add("person", event, element("div", "words", visible(event.text)), ...files);
  }

  message_queued(event) {
    this.add("quiet", event, `queued${event.after_task ? " after the task" : ""}: ${visible(event.text)}`);
  }

  text_delta(event, agent) {
    const makeView = (body) => {
      const view = new MarkdownView(body);
      return (text) => view.append(text);
    };
    const draft = this.draft(`text ${agent} ${event.turn} ${event.index}`, agent, () => {
      const body = element("div", "text live");
      return { item: this.add("answer text draft", event, body), body, makeView, view: makeView(body) };
    });
    this.grow(draft, event);
  }

  reasoning_delta(event, agent) {
    const makeView = (body) => (text) => body.append(visible(text));
    const draft = this.draft(`thought ${agent} ${event.turn} ${event.index}`, agent, () => {
      const body = element("pre", "live");
      const details = element("details", "thought", element("summary", "", "Thinking"), body);
      return { item: this.add("thought draft", event, details), body, makeView, view: makeView(body) };
    });
    this.grow(draft, event);
  }

  call_started(event, agent) {
    const makeView = (body, draft) => {
      const live = new LiveArguments(body);
      if (draft) draft.live = live;
      return (text) => live.push(text);
    };
    const draft = this.draft(`call ${agent} ${event.call}`, agent, () => {
      const body = element("div", "arguments live");
      const head = element("div", "", element("span", "tool", visible(event.tool)), " ", element("span", "quiet", "…"));
      return { item: this.add("call draft", event, head, body), body, makeView };
    });
    draft.view ??= makeView(draft.body, draft);
  }

  arguments_delta(event, agent) {
    const draft = this.drafts.get(`call ${agent} ${event.call}`);
    if (draft) this.grow(draft, event);
  }

  call_note(event, agent) {
    const call = this.drafts.get(`call ${agent} ${event.call}`) ?? this.calls.get(`${agent} ${event.call}`);
    // Tools preview texts that the arguments show already.
    if (!call || call.live?.shows(event.text)) return;
    if (!call.note) {
      call.note = element("div", "note");
      call.item.append(call.note);
    }
    call.note.textContent = visible(event.text);
  }

  text(event, agent) {
    this.endTurn(agent, event);
    const item = this.add("answer", event, markdownElement(event.text));
    if (event.sources) item.append(sourcesElement(event.sources));
    if (!agent) this.lastText = event.text;
  }

  hosted_call(event, agent) {
    const status = element("span", "status working", "at the provider");
    const server = event.server ? element("span", "quiet", `of ${visible(event.server)}`) : null;
    const words = element("span", "brief quiet", event.arguments ? brief(event.arguments) : "");
    const summary = element("summary", "", element("span", "tool", visible(event.tool)), " ", server, words, " ", status);
    const fill = (details) => details.append(element("div", "body", argumentsElement(event.arguments ?? {})));
    this.add("call hosted", event, folded("", summary, fill));
    this.hosted.push({ agent, call: event.call, tool: event.tool, status });
  }

  hosted_result(event, agent) {
    const isOf = (open) => open.agent === agent && open.call === event.call && (open.call || open.tool === event.tool);
    const at = this.hosted.findIndex(isOf);
    if (at < 0) return;
    const [{ status }] = this.hosted.splice(at, 1);
    status.className = event.error ? "status error" : "status ok";
    status.textContent = event.error ? visible(event.error) : "ok";
  }

  /** Ends the calls whose provider reported no result in the turn. */
  endHosted(agent) {
    this.hosted = this.hosted.filter((open) => {
      if (open.agent !== agent) return true;
      open.status.className = "status quiet";
      open.status.textContent = "no result";
      return false;
    });
  }

  reasoning(event, agent) {
    this.endTurn(agent, event);
    const fill = (details) => details.append(element("pre", "", visible(event.text)));
    const first = visible(event.text.slice(0, 100)).replace(/\s+/g, " ");
    this.add("thought-item", event, folded("thought", element("summary", "", "Thought ", element("span", "quiet", first)), fill));
  }

  call(event, agent) {
    this.endTurn(agent, event);
    const status = element("span", "status quiet", "…");
    const words = element("span", "brief quiet", brief(event.arguments));
    const summary = element("summary", "", element("span", "tool", visible(event.tool)), " ", words, " ", status);
    const call = { event, agent, status, decision: null, result: null, closing: null };
    call.details = folded("", summary, () => this.fillCall(call));
    call.output = element("pre", "output terminal");
    call.output.hidden = true;
    call.children = element("ol", "log children");
    call.children.hidden = true;
    call.item = this.add("call", event, call.details, call.output, call.children);
    call.item.dataset.call = event.call;
    this.calls.set(`${agent} ${event.call}`, call);
  }

  /** Makes the content of a call that a person opened. */
  fillCall(call) {
    call.body?.remove();
    const { event, decision, result } = call;
    call.body = element("div", "body", argumentsElement(event.arguments));
    if (decision) {
      const words = `${visible(decision.verdict)}: ${visible(decision.reason)} (${visible(decision.rule)}, ${visible(decision.source)}, risk ${visible(decision.risk)})`;
      call.body.append(element("div", "quiet decision", words));
    }
    if (result) {
      const text = TERMINALS.has(event.tool) ? terminalElement(result.text) : codeElement(result.text, null);
      call.body.append(element("div", "result", text));
      if (result.images) call.body.append(element("p", "quiet", count(result.images, "picture")));
    }
    if (!call.agent && this.actions?.fork) {
      call.body.append(element("div", "buttons", button("Fork before this call", "plain", () => this.actions.fork(event))));
    }
    call.details.append(call.body);
  }

  refresh(call) {
    if (call.details.dataset.filled) this.fillCall(call);
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
    this.endHosted(agent);
    this.ended = null;
  }

  retry(event, agent) {
    this.clearDrafts(agent);
    this.endHosted(agent);
    const wait = event.delay_ms ? `; again in ${Math.ceil(event.delay_ms / 1000)} s` : "";
    this.add("warn", event, `${visible(event.reason)}${wait}`);
  }

  decision(event, agent) {
    const call = this.calls.get(`${agent} ${event.call}`);
    if (!call) return;
    call.decision = event;
    if (event.verdict === "ask") call.status.textContent = "asks";
    this.refresh(call);
  }

  call_running(event, agent) {
    const call = this.calls.get(`${agent} ${event.call}`);
    if (!call) return;
    call.status.className = "status working";
    call.status.textContent = "running";
    if (this.actions?.stopCall) {
      call.stop = button("Stop", "small no", () => this.actions.stopCall(event));
      call.details.after(call.stop);
      call.stop.hidden = true;
      call.timer = setTimeout(() => { call.stop.hidden = false; }, 1500);
    }
  }

  call_deferred(event, agent) {
    const call = this.calls.get(`${agent} ${event.call}`);
    if (call) call.status.textContent = "works elsewhere";
  }

  call_output(event, agent) {
    const call = this.calls.get(`${agent} ${event.call}`);
    if (!call) return;
    call.view ??= new TerminalView(call.output, OUTPUT_CHARACTERS);
    call.output.hidden = false;
    const atEnd = call.output.scrollHeight - call.output.scrollTop - call.output.clientHeight < 30;
    if (event.left_out) call.view.append(`[${event.left_out} bytes left out]\n`);
    call.view.append(event.text);
    if (atEnd) call.output.scrollTop = call.output.scrollHeight;
  }

  result(event, agent) {
    const call = this.calls.get(`${agent} ${event.call}`);
    if (!call) {
      this.add("call", event, element("span", event.status === "ok" ? "ok" : "error", visible(event.status)), codeElement(event.text, null));
      return;
    }
    clearTimeout(call.timer);
    call.stop?.remove();
    call.result = event;
    call.status.className = event.status === "ok" ? "status ok" : "status error";
    call.status.textContent = visible(event.status);
    call.output.hidden = true;
    if (this.answered && !agent && event.status === "ok" && call.event.tool === "ask_followup_question") {
      this.answered.append(`: ${visible(event.text)}`);
      this.answered = null;
    }
    this.refresh(call);
  }

  question_opened(event) {
    const { about, card, text } = event;
    const label = about === "call" ? [element("span", "tool", visible(card.tool)), ` ${brief(card.arguments)}`] : [`“${visible(text.slice(0, 120))}”`];
    this.questions.set(event.question, label);
  }

  question_closed(event) {
    const how = { approved: "Approved", denied: "Denied", answered: "Answered", timed_out: "Not answered in time",
      withdrawn: "The question was withdrawn", no_approver: "Nobody could answer" };
    const by = event.by ? ` in ${visible(event.by)}` : "";
    const more = event.arguments ? " with changed arguments" : event.remembered ? ", and remembered" : "";
    const words = event.comment ?? event.words;
    const label = this.questions.get(event.question);
    this.questions.delete(event.question);
    const item = this.add("quiet", event, how[event.answer] ?? visible(event.answer), label ? " " : null, ...(label ?? []));
    item.append(`${more}${by}${words ? `: ${visible(words)}` : ""}`);
    if (event.arguments) item.append(codeElement(JSON.stringify(event.arguments, null, 2), null));
    // The record of an answer in words has them in the result of the call.
    this.answered = event.answer === "answered" && !words && !event.agent ? item : null;
  }

  question_postponed(event) {
    this.add("quiet", event, "The question stays open.");
  }

  checkpoint(event) {
    const item = this.add("quiet checkpoint", event, `Checkpoint before turn ${event.turn} `);
    if (this.actions?.restore) item.append(button("Compare and restore", "small plain link", () => this.actions.restore(event)));
  }

  turn_diff(event) {
    this.addDiff(event, "Changed");
  }

  run_diff(event) {
    this.addDiff(event, "Changed by the run");
  }

  addDiff(event, title) {
    const files = splitDiff(event.diff);
    const sum = (name) => files.reduce((total, file) => total + file[name], 0);
    const names = files.slice(0, 3).map((file) => visible(file.path)).join(", ");
    const more = files.length > 3 ? ` and ${files.length - 3} more` : "";
    const counts = [" ", element("span", "ok", `+${sum("added")}`), " ", element("span", "error", `−${sum("removed")}`)];
    const summary = element("summary", "", `${title}: ${names}${more}`, ...counts);
    this.add("diff-item", event, folded("thought", summary, (details) => details.append(diffElement(event.diff))));
  }

  compacted(event) {
    const removed = event.results === 1 ? ": a result was removed" : event.results ? `: ${event.results} results were removed` : "";
    const saved = event.before ? ` (about ${event.after} tokens instead of ${event.before})` : "";
    this.add("quiet", event, `The conversation was shortened${removed}${saved}`);
  }

  images_removed(event) {
    this.add("warn", event, `The provider refused a picture: ${visible(event.reason)}`);
  }

  protocol_changed(event) {
    this.add("quiet", event, `Calls are exchanged as ${visible(event.protocol)} now`);
  }

  mode(event) {
    this.add("quiet", event, `Mode: ${visible(event.mode)}`);
  }

  notice(event) {
    this.add("warn", event, visible(event.text));
  }

  error(event) {
    this.add("failed", event, visible(event.message));
  }

  run_ended(event, agent) {
    this.clearDrafts(agent);
    const { outcome } = event;
    if (event.agent) {
      this.listOf(event.agent);
      const found = this.agents.get(`${event.agent.call}/${event.agent.names.join("/")}`);
      if (!found) return;
      found.status.textContent = visible(outcome.state);
      found.status.className = `state ${outcome.state === "completed" ? "ended" : "suspended"}`;
      found.details.open = outcome.state === "failed";
      return;
    }
    if (outcome.state === "completed" && outcome.text && outcome.text !== this.lastText) {
      this.add("answer", event, markdownElement(outcome.text));
    }
    if (outcome.state === "failed") this.add("failed", event, visible(outcome.message));
    if (outcome.state === "stopped") this.add("warn", event, `Stopped: ${visible(outcome.cause)}`);
    if (outcome.state === "suspended") this.add("warn", event, "Suspended until the open questions are answered");
  }
}

/** Creates the list of a text's sources. They are texts of the provider, so they are not links. */
function sourcesElement(sources) {
  const rows = sources.map(({ source, title }) => {
    const name = title ? [visible(title), " "] : [];
    return element("li", "", ...name, element("span", "tool", visible(source)));
  });
  return element("ol", "sources quiet", ...rows);
}

/** The kinds that a transcript draws. An unknown kind of a later version is left out. */
const KINDS = new Set([
  "run_started", "history_imported", "run_resumed", "message", "message_queued", "text_delta", "reasoning_delta", "call_started",
  "arguments_delta", "call_note", "text", "reasoning", "call", "hosted_call", "hosted_result", "turn_ended", "retry", "decision", "call_running",
  "call_deferred", "call_output", "result", "question_opened", "question_closed", "question_postponed", "checkpoint", "turn_diff",
  "run_diff", "compacted", "images_removed", "protocol_changed", "mode", "notice", "error", "run_ended",
]);
