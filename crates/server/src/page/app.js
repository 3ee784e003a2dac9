// The page: sessions, one open session, its questions, and the composer.

import { ApiError, call, identify, login } from "./api.js";
import { questionCard } from "./cards.js";
import { clock, element, spent } from "./dom.js";
import { openFeed } from "./feed.js";
import { Transcript } from "./transcript.js";

const $ = (id) => document.getElementById(id);
const state = { session: null, working: false, close: null, transcript: null, questions: new Map(), total: null };

/** Shows a note, or removes it. */
function note(text = "") {
  $("note").textContent = text;
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
  const sessions = await attempt(() => call("GET", "/api/sessions"));
  if (!sessions) return;
  $("sessions").replaceChildren(...sessions.map((session) => {
    const name = element("span", "name", session.name || session.id);
    const line = element("span", "quiet", element("span", session.state, session.state), ` · ${clock(session.updated_ms)}`);
    const open = element("button", "", name, line);
    open.type = "button";
    open.setAttribute("aria-current", String(session.id === state.session));
    open.addEventListener("click", () => {
      location.hash = `session=${encodeURIComponent(session.id)}`;
    });
    return element("li", "", open);
  }));
  const current = sessions.find((session) => session.id === state.session);
  if (current) showHead(current);
  const open = sessions.reduce((sum, session) => sum + session.open_questions, 0);
  $("count").hidden = open === 0;
  $("count").textContent = open;
  document.title = open ? `(${open}) Windlass` : "Windlass";
}

function showHead(session) {
  $("title").textContent = session.name || session.id;
  $("state").textContent = session.state;
  $("state").className = `state ${session.state}`;
  state.working = session.state === "working" || session.state === "waiting";
  $("stop").hidden = !(state.working && session.is_here);
  $("later-label").hidden = !state.working;
  $("send").textContent = state.working ? "Say" : "Send";
  $("task").placeholder = state.working ? "A message for the working run" : "The next task";
  $("cost").textContent = spent(state.total ?? session.total);
}

function showCards() {
  const cards = [...state.questions.values()];
  const kept = new Map([...$("questions").children].map((card) => [card.dataset.question, card]));
  $("questions").replaceChildren(...cards.map(({ session, question, card }, at) => {
    const place = cards.length > 1 ? `${at + 1} of ${cards.length}` : "";
    const done = (text, keep) => {
      note(text);
      if (!keep && state.questions.delete(question)) showCards();
    };
    return kept.get(question) ?? questionCard(session, question, card, place, done);
  }));
}

/** Draws an event of the open session, and keeps the view at the end if it is there. */
function onEvent(event) {
  const main = $("main");
  const atEnd = main.scrollHeight - main.scrollTop - main.clientHeight < 80;
  state.transcript.draw(event);
  if (event.kind === "question_opened") {
    const { about, card, text, suggestions } = event;
    state.questions.set(event.question, { session: event.session, question: event.question, card: { about, card, text, suggestions } });
    showCards();
  }
  if (event.kind === "question_closed" && state.questions.delete(event.question)) showCards();
  if (event.kind === "turn_ended" && !event.agent) {
    state.total = event.total;
    $("cost").textContent = spent(event.total);
  }
  if (["run_started", "run_resumed", "run_ended", "question_opened", "question_closed"].includes(event.kind)) refresh();
  if (atEnd) main.scrollTop = main.scrollHeight;
}

let pending = null;
/** Lists the sessions soon, and once for many events. */
function refresh() {
  clearTimeout(pending);
  pending = setTimeout(listSessions, 150);
}

function openSession(id) {
  state.close?.();
  state.session = id;
  state.total = null;
  state.questions.clear();
  state.transcript = new Transcript($("log"));
  showCards();
  $("side").classList.remove("open");
  $("menu").setAttribute("aria-expanded", "false");
  if (!id) {
    $("title").textContent = "Windlass";
    $("state").textContent = "";
    $("cost").textContent = "";
    $("stop").hidden = true;
    state.working = false;
    $("later-label").hidden = true;
    $("send").textContent = "Send";
    $("task").placeholder = "Describe a task";
    $("task").focus();
    return;
  }
  state.close = openFeed(id, onEvent, (isOpen) => note(isOpen ? "" : "The connection is lost; it is opened again."));
  refresh();
}

async function showInbox() {
  const questions = await attempt(() => call("GET", "/api/questions"));
  if (!questions) return;
  location.hash = "";
  openSession(null);
  $("title").textContent = questions.length ? "Open questions" : "No open questions";
  for (const { session, session_name, question, ...card } of questions) {
    state.questions.set(question, { session, question, card });
  }
  showCards();
}

async function send(event) {
  event.preventDefault();
  const text = $("task").value.trim();
  if (!text) return;
  $("send").disabled = true;
  const path = `/api/sessions/${encodeURIComponent(state.session ?? "")}`;
  const settings = $("model").value.trim() ? { model: $("model").value.trim() } : {};
  const done = await attempt(async () => {
    if (!state.session) {
      const run = await call("POST", "/api/sessions", { task: text, settings });
      location.hash = `session=${encodeURIComponent(run.session)}`;
    } else if (state.working) {
      await call("POST", `${path}/messages`, { text, after_task: $("later").checked });
    } else {
      await call("POST", `${path}/continue`, { task: text, settings });
    }
    return true;
  });
  $("send").disabled = false;
  if (done) $("task").value = "";
  refresh();
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
  const models = await attempt(() => call("GET", "/api/models"));
  $("models").replaceChildren(...(models ?? []).map(({ model }) => Object.assign(element("option"), { value: model })));
  $("model").placeholder = models?.find((model) => model.is_default)?.model ?? "";
  followAddress();
  await listSessions();
}

$("composer").addEventListener("submit", send);
$("task").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) $("composer").requestSubmit();
});
$("new").addEventListener("click", () => {
  location.hash = "";
  openSession(null);
});
$("inbox").addEventListener("click", showInbox);
$("menu").addEventListener("click", () => {
  $("menu").setAttribute("aria-expanded", String($("side").classList.toggle("open")));
});
$("stop").addEventListener("click", () => attempt(() => call("POST", `/api/sessions/${encodeURIComponent(state.session)}/stop`)));
$("login-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = $("token").value.trim();
  $("token").value = "";
  connect(token).catch((error) => askForToken(error.message));
});
window.addEventListener("hashchange", followAddress);
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
