// The list of sessions: names, states, costs, and what can be done with them.

import { call } from "./api.js";
import { askForText, confirmAction } from "./dialogs.js";
import { button, clock, element, price, visible } from "./dom.js";

const pathOf = (session) => `/api/sessions/${encodeURIComponent(session.id)}`;

/** Creates the entry of a session. `attempt` runs a request and shows its error, `changed` is called after a change. */
function entryElement(session, isOpen, attempt, changed) {
  const name = element("span", "name", visible(session.name || session.id));
  const cost = price(session.total?.cost);
  const facts = [clock(session.updated_ms), cost, visible(session.model)].filter(Boolean).join(" · ");
  const questions = session.open_questions ? element("span", "badge", session.open_questions) : null;
  const line = element("span", "line", element("span", session.state, session.state), " · ", facts);
  const open = element("button", "entry", name, element("span", "quiet facts", line, questions));
  open.type = "button";
  open.setAttribute("aria-current", String(isOpen));
  open.addEventListener("click", () => { location.hash = `session=${encodeURIComponent(session.id)}`; });
  const item = element("li", "", open);
  if (isOpen) item.append(actionsElement(session, attempt, changed));
  return item;
}

function actionsElement(session, attempt, changed) {
  const rename = async () => {
    const name = await askForText("Rename the session", "Name", session.name, "Rename");
    if (name === null) return;
    await attempt(() => call("PATCH", pathOf(session), { name }));
    changed();
  };
  const fork = () => forkSession(session.id, undefined, attempt);
  const remove = async () => {
    const text = `Its records are deleted: ${visible(session.name || session.id)}`;
    if (!await confirmAction("Delete the session?", text, "Delete")) return;
    const done = await attempt(async () => {
      await call("DELETE", pathOf(session));
      return true;
    });
    if (done) location.hash = "";
    changed();
  };
  const download = (label, format, extension) => {
    const link = element("a", "button small plain", label);
    link.href = `${pathOf(session)}/export?format=${format}`;
    link.download = `${session.id}.${extension}`;
    return link;
  };
  return element(
    "div",
    "actions",
    button("Rename", "small plain", rename),
    button("Fork", "small plain", fork),
    download("Markdown", "markdown", "md"),
    download("JSON", "json", "json"),
    ["working", "waiting"].includes(session.state) ? null : button("Delete", "small plain remove", remove),
  );
}

/** Asks for a task, and starts a session with the beginning of another one. */
export async function forkSession(session, at, attempt) {
  const task = await askForText("Fork the session", "Task of the new session", "", "Fork");
  if (task === null) return;
  const body = at ? { task, at } : { task };
  const run = await attempt(() => call("POST", `/api/sessions/${encodeURIComponent(session)}/fork`, body));
  if (run) location.hash = `session=${encodeURIComponent(run.session)}`;
}

/** Marks no session, before the list is read again. */
export function unmarkSessions(list) {
  for (const entry of list.querySelectorAll("[aria-current=true]")) {
    entry.setAttribute("aria-current", "false");
    entry.parentElement.querySelector(".actions")?.remove();
    delete entry.parentElement.dataset.key;
  }
}

/** Draws the list. Entries that did not change stay, so that the focus is not lost. */
export function drawSessions(list, sessions, current, attempt, changed) {
  const known = new Map([...list.children].map((item) => [item.dataset.key, item]));
  list.replaceChildren(...sessions.map((session) => {
    const isOpen = session.id === current;
    const key = JSON.stringify([session, isOpen]);
    const item = known.get(key) ?? entryElement(session, isOpen, attempt, changed);
    item.dataset.key = key;
    return item;
  }));
}
