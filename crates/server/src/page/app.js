// The page: sessions, one open session, its questions, and the composer.

import { ApiError, call, identify, login } from "./api.js";
import { questionCard, setPlace } from "./cards.js";
import { initComposer, sentFiles, showComposer, switchDraft } from "./composer.js";
import { openDevices, openRestore } from "./dialogs.js";
import { element, spent, visible } from "./dom.js";
import { openFeed } from "./feed.js";
import { announce, initNotices, withdraw } from "./notices.js";
import { subscribe } from "./push.js";
import { drawSessions, forkSession, unmarkSessions } from "./sessions.js";
import { Transcript } from "./transcript.js";

const $ = (id) => document.getElementById(id);

/** Number of sessions that the list begins with, and that a click adds. */
const LISTED = 100;

const state = {
  session: null, record: null, defaults: null, isInbox: false, isGone: false, isLost: false, wasConnected: false,
  isRefused: false, working: false, close: null, transcript: null, questions: new Map(), total: null, context: null, listed: LISTED,
};

/** Time between two readings of the inbox, which has no feed. */
const INBOX_MS = 2000;

/** Times after a reconnection at which the state is read: a killed run is found when its lease ends. */
const RECONNECTED_MS = [0, 1000, 3000, 6000, 10000];

const REVOKED = "The access of this browser was revoked, or its token is wrong. Log in again with a token of windlass serve.";
const LOST = "The connection is lost; it is opened again.";

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
    if (!askIfRefused(error)) note(error.message);
    return undefined;
  }
}

/** Opens the dialog if the server refused the token of this browser. */
function askIfRefused(error) {
  const isRefused = error instanceof ApiError && error.status === 401;
  if (isRefused) askForToken(state.wasConnected ? REVOKED : error.message);
  return isRefused;
}

function askForToken(reason = "") {
  state.close?.();
  state.isRefused = true;
  $("login-error").textContent = reason;
  if (!$("login").open) $("login").showModal();
}

async function connect(token) {
  await login(token);
  state.isRefused = false;
  $("login").close();
  note();
  await start();
}

async function listSessions() {
  // Without a token every request would count as an attempt with a wrong one.
  if ($("login").open) return;
  let sessions;
  try {
    sessions = await call("GET", `/api/sessions?limit=${state.listed}`);
  } catch (error) {
    askIfRefused(error);
    return;
  }
  drawSessions($("sessions"), sessions, state.session, attempt, refresh);
  $("older").hidden = sessions.length < state.listed;
  const current = sessions.find((session) => session.id === state.session);
  if (current) showHead(current);
  else findSession(state.session);
  const open = sessions.reduce((sum, session) => sum + session.open_questions, 0);
  $("count").hidden = open === 0;
  $("count").textContent = open;
  document.title = open ? `(${open}) Windlass` : "Windlass";
}

/** Reads the open session, which is not in the list: it is older, or it was deleted. */
async function findSession(id) {
  if (!id || state.isGone) return;
  try {
    const session = await call("GET", `/api/sessions/${encodeURIComponent(id)}`);
    if (state.session === id) showHead(session);
  } catch (error) {
    if (!askIfRefused(error) && error.status === 404 && state.session === id) showMissing();
  }
}

/** Shows that the open session does not exist. */
function showMissing() {
  state.close?.();
  state.isGone = true;
  state.working = false;
  state.questions.clear();
  showCards();
  clearHead("No such session");
  note("This session does not exist, or it was deleted.");
  showComposer(state);
}

function clearHead(title) {
  $("title").textContent = title;
  $("state").textContent = "";
  $("state").className = "state";
  $("cost").textContent = "";
  $("stop").hidden = true;
  $("resume").hidden = true;
}

function showHead(session) {
  state.record = session;
  $("title").textContent = visible(session.name || session.id);
  $("state").textContent = visible(session.state);
  $("state").className = `state ${session.state}`;
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
  const place = $("questions");
  for (const card of [...place.children]) if (!state.questions.has(card.dataset.question)) card.remove();
  const kept = new Map([...place.children].map((card) => [card.dataset.question, card]));
  cards.forEach(({ session, question, card, from }, at) => {
    const done = (text, { effect, isOpen, session: answered } = {}) => {
      note(text);
      if (!isOpen && state.questions.delete(question)) showCards();
      if (effect && !effect.received && effect.unanswered === 0) resume(answered);
    };
    let made = kept.get(question);
    if (!made) {
      made = questionCard(session, question, card, done);
      if (from !== undefined) made.append(sessionLink(session, from));
    }
    kept.delete(question);
    setPlace(made, at + 1, cards.length);
    // A card that moves loses the focus, and the words that a person types into it.
    if (place.children[at] !== made) place.insertBefore(made, place.children[at] ?? null);
  });
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
  const scrolled = state.transcript.scrolledParts();
  const end = performance.now() + FRAME_MS;
  let at = 0;
  while (at < waiting.length && (at % 16 !== 0 || at === 0 || performance.now() < end)) {
    drawEvent(waiting[at]);
    at += 1;
  }
  waiting.splice(0, at);
  state.transcript.followDrafts(scrolled);
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
  files: sentFiles,
  fork: (event) => forkSession(state.session, { before_call: event.call }, attempt),
  restore: (event) => attempt(() => openRestore(event.session, event, note)),
  stopCall: (event) => attempt(() => {
    const agent = event.agent ? `?${new URLSearchParams({ agent_call: event.agent.call, agents: event.agent.names.join("/") })}` : "";
    return call("POST", `/api/sessions/${encodeURIComponent(event.session)}/calls/${encodeURIComponent(event.call)}/stop${agent}`);
  }),
};

function openSession(id) {
  state.close?.();
  switchDraft(id);
  note();
  waiting.length = 0;
  state.session = id;
  state.record = null;
  state.isInbox = false;
  state.isGone = false;
  state.isLost = false;
  state.working = false;
  state.total = null;
  state.context = null;
  state.questions.clear();
  state.transcript = new Transcript($("log"), actions);
  countEarlier();
  showCards();
  closeMenu();
  $("welcome").hidden = Boolean(id);
  $("inbox").removeAttribute("aria-current");
  unmarkSessions($("sessions"));
  clearHead(id ? "…" : "Windlass");
  showComposer(state);
  refresh();
  if (id) state.close = openFeed(id, onEvent, (kind) => onFeedState(id, kind));
  else $("task").focus();
}

function onFeedState(session, kind) {
  if (session !== state.session) return;
  if (kind === "missing") showMissing();
  if (kind === "refused") askForToken(REVOKED);
  if (kind === "lost") {
    state.isLost = true;
    note(LOST);
  }
  if (kind === "open" && state.isLost) {
    state.isLost = false;
    note();
    for (const wait of RECONNECTED_MS) setTimeout(listSessions, wait);
  }
}

function closeMenu() {
  $("side").classList.remove("open");
  $("menu").setAttribute("aria-expanded", "false");
}

/** Shows the open questions of all sessions. */
function openInbox() {
  openSession(null);
  state.isInbox = true;
  $("welcome").hidden = true;
  $("title").textContent = "Open questions";
  $("inbox").setAttribute("aria-current", "true");
  return readInbox();
}

/** Reads the open questions: cards that were answered elsewhere leave, and new ones appear. */
async function readInbox() {
  if (!state.isInbox || $("login").open) return;
  let questions;
  try {
    questions = await call("GET", "/api/questions");
  } catch (error) {
    if (!askIfRefused(error)) note(error.message);
    return;
  }
  if (!state.isInbox) return;
  const open = new Set(questions.map(({ question }) => question));
  const closed = [...state.questions.values()].filter(({ question }) => !open.has(question));
  const opened = questions.filter(({ question }) => !state.questions.has(question));
  for (const { question, card } of closed) {
    state.questions.delete(question);
    note(`The question about ${card.card?.tool ?? "the answer of a person"} was closed elsewhere.`);
  }
  for (const { session, session_name, question, ...card } of opened) {
    state.questions.set(question, { session, question, card, from: session_name });
  }
  if (closed.length || opened.length) {
    showCards();
    refresh();
  }
  $("title").textContent = questions.length ? "Open questions" : "No open questions";
}

function sessionLink(session, name) {
  const link = element("a", "quiet", `Session: ${visible(name || session)}`);
  link.href = `#session=${encodeURIComponent(session)}`;
  return link;
}

/** Opens the view of the address. `isForced` opens a session again that is open. */
function followAddress(isForced = false) {
  const values = new URLSearchParams(location.hash.slice(1));
  const session = values.get("session");
  if (values.has("inbox")) openInbox();
  else if (session !== state.session || !session || isForced === true) openSession(session);
}

/** Reads the settings of new sessions, and the models that a task can name. */
async function readDefaults() {
  const models = await attempt(() => call("GET", "/api/models"));
  $("models").replaceChildren(...(models ?? []).map(({ model }) => Object.assign(element("option"), { value: model })));
  state.defaults = await call("GET", "/api/defaults").catch(() => models?.find((model) => model.is_default));
  showComposer(state);
}

async function start() {
  const known = await attempt(async () => {
    await identify();
    return true;
  });
  if (!known) return;
  state.wasConnected = true;
  followAddress(true);
  subscribe();
  await readDefaults();
  await listSessions();
}

initNotices($("notices"));
initComposer(state, attempt, refresh, note);
$("new").addEventListener("click", () => {
  history.pushState(null, "", "/");
  openSession(null);
});
$("inbox").addEventListener("click", () => {
  if (state.isInbox) closeMenu();
  else location.hash = "inbox";
});
$("devices").addEventListener("click", () => attempt(() => openDevices(attempt)));
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
// Escape closes a dialog. The page cannot be used without a token, so the dialog stays.
$("login").addEventListener("cancel", (event) => event.preventDefault());
$("login").addEventListener("close", () => {
  if (state.isRefused) $("login").showModal();
});
addEventListener("hashchange", () => followAddress());
addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeMenu();
});
setInterval(() => {
  if (document.visibilityState === "visible") listSessions();
}, 15000);
setInterval(() => {
  if (document.visibilityState === "visible") readInbox();
}, INBOX_MS);

// The token of a printed link is in the part of the address that browsers do not send; it does not stay there.
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  history.replaceState(null, "", "/");
  connect(given).catch((error) => askForToken(error.message));
} else {
  start();
}
