// The page: sessions, one open session, its questions, and the composer.

import { ApiError, call, identify, login } from "./api.js";
import { questionCard, setPlace } from "./cards.js";
import { initComposer, showComposer } from "./composer.js";
import { openRestore } from "./dialogs.js";
import { element, spent, visible } from "./dom.js";
import { openFeed } from "./feed.js";
import { announce, initNotices, withdraw } from "./notices.js";
import { subscribe } from "./push.js";
import { drawSessions, forkSession } from "./sessions.js";
import { Transcript } from "./transcript.js";

const $ = (id) => document.getElementById(id);

/** Number of sessions that the list begins with, and that a click adds. */
const LISTED = 100;

const state = {
  session: null, working: false, isHere: false, runState: "", close: null, transcript: null, questions: new Map(), total: null,
  context: null, listed: LISTED,
};

/** Time for drawing events in one frame. */
const FRAME_MS = 12;

/** Shows a note, or removes it. */
function note(text = "") {
  $("note").textContent = visible(text);
}

/** Runs a request, and shows its error. A missing token opens the dialog. */
async function attempt(work) {
  try {
    note();
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) askForToken(error.message);
    else note(error.message);
    return undefined;
  }
}

function askForToken(reason = "") {
  $("login-error").textContent = reason;
  if (!$("login").open) $("login").showModal();
}

async function connect(token) {
  await login(token);
  $("login").close();
  await start();
}

async function listSessions() {
  let sessions;
  try {
    sessions = await call("GET", `/api/sessions?limit=${state.listed}`);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) askForToken(error.message);
    return;
  }
  drawSessions($("sessions"), sessions, state.session, attempt, refresh);
  $("older").hidden = sessions.length < state.listed;
  const current = sessions.find((session) => session.id === state.session);
  if (current) showHead(current);
  const open = sessions.reduce((sum, session) => sum + session.open_questions, 0);
  $("count").hidden = open === 0;
  $("count").textContent = open;
  document.title = open ? `(${open}) Windlass` : "Windlass";
}

function showHead(session) {
  $("title").textContent = visible(session.name || session.id);
  $("state").textContent = visible(session.state);
  $("state").className = `state ${session.state}`;
  state.runState = session.state;
  state.working = session.state === "working" || session.state === "waiting";
  $("stop").hidden = !state.working;
  const isStopped = ["suspended", "interrupted", "stopped", "failed"].includes(session.state);
  $("resume").hidden = !isStopped;
  state.total = session.total;
  showCost();
  showComposer(state);
}

function showCost() {
  const share = state.context?.window ? ` · context ${Math.round((100 * state.context.used) / state.context.window)} %` : "";
  $("cost").textContent = `${spent(state.total)}${share}`;
}

/** Resumes a run. After the last answer of a suspended run this happens by itself. */
async function resume(session) {
  await attempt(() => call("POST", `/api/sessions/${encodeURIComponent(session)}/resume`));
  refresh();
}

/** Draws the cards of the open questions: those of one agent follow each other. */
function showCards() {
  const agentOf = ({ card }) => card.card?.agents?.join("/") ?? "";
  const agents = [...new Set([...state.questions.values()].map(agentOf))];
  const cards = agents.flatMap((agent) => [...state.questions.values()].filter((one) => agentOf(one) === agent));
  const kept = new Map([...$("questions").children].map((card) => [card.dataset.question, card]));
  $("questions").replaceChildren(...cards.map(({ session, question, card, from }, at) => {
    const done = (text, { effect, isOpen, session: answered } = {}) => {
      note(text);
      if (!isOpen && state.questions.delete(question)) showCards();
      if (effect && !effect.received && effect.unanswered === 0) resume(answered);
    };
    let made = kept.get(question);
    if (!made) {
      made = questionCard(session, question, card, done);
      if (from !== undefined) made.prepend(sessionLink(session, from));
    }
    setPlace(made, at + 1, cards.length);
    return made;
  }));
}

const waiting = [];
let drawing = false;

/** Draws events in the next frames, and keeps the view at the end if it is there. */
function onEvent(event) {
  waiting.push(event);
  if (drawing) return;
  drawing = true;
  // A hidden page has no frames.
  if (document.visibilityState === "visible") requestAnimationFrame(drawWaiting);
  else setTimeout(drawWaiting, 50);
}

function drawWaiting() {
  const main = $("main");
  const atEnd = main.scrollHeight - main.scrollTop - main.clientHeight < 80;
  const end = performance.now() + FRAME_MS;
  let at = 0;
  while (at < waiting.length && (at % 16 !== 0 || at === 0 || performance.now() < end)) {
    drawEvent(waiting[at]);
    at += 1;
  }
  waiting.splice(0, at);
  if (atEnd) {
    state.transcript.trim();
    main.scrollTop = main.scrollHeight;
  }
  countEarlier();
  drawing = false;
  if (waiting.length) {
    drawing = true;
    if (document.visibilityState === "visible") requestAnimationFrame(drawWaiting);
    else setTimeout(drawWaiting, 0);
  }
}

function countEarlier() {
  const count = state.transcript.countEarlier();
  $("earlier").hidden = count === 0;
  $("earlier").textContent = `${count} earlier items`;
}

/** Shows earlier items without moving those in view. */
function showEarlier() {
  const main = $("main");
  const below = main.scrollHeight - main.scrollTop;
  state.transcript.showEarlier();
  countEarlier();
  main.scrollTop = main.scrollHeight - below;
}

const CHANGES = new Set(["run_started", "run_resumed", "run_ended", "question_opened", "question_closed", "question_postponed", "error"]);

function drawEvent(event) {
  state.transcript.draw(event);
  if (event.kind === "question_opened") {
    const { session, question, about, card, text, suggestions } = event;
    state.questions.set(question, { session, question, card: { about, card, text, suggestions } });
    showCards();
    announce(question, card, () => state.questions.has(question));
  }
  if (event.kind === "question_closed") {
    withdraw(event.question);
    if (state.questions.delete(event.question)) showCards();
  }
  if (event.kind === "turn_ended" && !event.agent) {
    state.total = event.total;
    showCost();
  }
  if (event.kind === "context" && !event.agent) {
    state.context = event;
    showCost();
  }
  if (CHANGES.has(event.kind)) refresh();
}

let pending = null;
/** Lists the sessions soon, and once for many events. */
function refresh() {
  clearTimeout(pending);
  pending = setTimeout(listSessions, 150);
}

const actions = {
  fork: (event) => forkSession(state.session, { before_call: event.call }, attempt),
  restore: (event) => attempt(() => openRestore(event.session, event, note)),
  stopCall: (event) => attempt(() => {
    const agent = event.agent ? `?${new URLSearchParams({ agent_call: event.agent.call, agents: event.agent.names.join("/") })}` : "";
    return call("POST", `/api/sessions/${encodeURIComponent(event.session)}/calls/${encodeURIComponent(event.call)}/stop${agent}`);
  }),
};

function openSession(id) {
  state.close?.();
  waiting.length = 0;
  state.session = id;
  state.total = null;
  state.context = null;
  state.questions.clear();
  state.transcript = new Transcript($("log"), actions);
  countEarlier();
  showCards();
  closeMenu();
  $("welcome").hidden = Boolean(id);
  if (!id) {
    $("title").textContent = "Windlass";
    $("state").textContent = "";
    $("state").className = "state";
    $("cost").textContent = "";
    $("stop").hidden = true;
    $("resume").hidden = true;
    state.working = false;
    showComposer(state);
    $("task").focus();
    return;
  }
  state.close = openFeed(id, onEvent, (isOpen) => note(isOpen ? "" : "The connection is lost; it is opened again."));
  refresh();
}

function closeMenu() {
  $("side").classList.remove("open");
  $("menu").setAttribute("aria-expanded", "false");
}

async function showInbox() {
  const questions = await attempt(() => call("GET", "/api/questions"));
  if (!questions) return;
  history.replaceState(null, "", "/");
  openSession(null);
  $("title").textContent = questions.length ? "Open questions" : "No open questions";
  $("welcome").hidden = questions.length > 0;
  for (const { session, session_name, question, ...card } of questions) {
    state.questions.set(question, { session, question, card, from: session_name });
  }
  showCards();
}

function sessionLink(session, name) {
  const link = element("a", "quiet", `Session: ${visible(name || session)}`);
  link.href = `#session=${encodeURIComponent(session)}`;
  return link;
}

function followAddress() {
  const values = new URLSearchParams(location.hash.slice(1));
  const session = values.get("session");
  if (session !== state.session || !session) openSession(session);
}

async function start() {
  const known = await attempt(async () => {
    await identify();
    return true;
  });
  if (!known) return;
  followAddress();
  subscribe();
  const models = await attempt(() => call("GET", "/api/models"));
  $("models").replaceChildren(...(models ?? []).map(({ model }) => Object.assign(element("option"), { value: model })));
  $("model").placeholder = visible(models?.find((model) => model.is_default)?.model ?? "default");
  await listSessions();
}

initNotices($("notices"));
initComposer(state, attempt, refresh, note);
$("new").addEventListener("click", () => {
  history.replaceState(null, "", "/");
  openSession(null);
  refresh();
});
$("inbox").addEventListener("click", showInbox);
$("menu").addEventListener("click", () => {
  $("menu").setAttribute("aria-expanded", String($("side").classList.toggle("open")));
});
$("older").addEventListener("click", () => {
  state.listed += LISTED;
  return listSessions();
});
$("stop").addEventListener("click", () => attempt(() => call("POST", `/api/sessions/${encodeURIComponent(state.session)}/stop`)));
$("earlier").addEventListener("click", showEarlier);
const nearTop = new IntersectionObserver((entries) => {
  if (!entries.some((entry) => entry.isIntersecting) || drawing || !state.transcript?.countEarlier()) return;
  showEarlier();
  // Observing again reports a button that is still in view.
  nearTop.unobserve($("earlier"));
  nearTop.observe($("earlier"));
}, { root: $("main"), rootMargin: "600px 0px 0px 0px" });
nearTop.observe($("earlier"));
$("resume").addEventListener("click", () => resume(state.session));
$("login-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = $("token").value.trim();
  $("token").value = "";
  connect(token).catch((error) => askForToken(error.message));
});
addEventListener("hashchange", followAddress);
addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeMenu();
});
setInterval(() => {
  if (document.visibilityState === "visible") listSessions();
}, 15000);

// The token of a printed link is in the part of the address that browsers do not send; it does not stay there.
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  history.replaceState(null, "", "/");
  connect(given).catch((error) => askForToken(error.message));
} else {
  start();
}
