// The composer: a task or a message.

import { call } from "./api.js";

const $ = (id) => document.getElementById(id);

/** Makes the form send. `attempt` runs a request and shows its error. */
export function initComposer(state, attempt, changed) {
  const send = async (event) => {
    event.preventDefault();
    const text = $("task").value.trim();
    if (!text) return;
    $("send").disabled = true;
    const done = await attempt(async () => {
      await submit(state, text);
      return true;
    });
    $("send").disabled = false;
    if (done) $("task").value = "";
    resize();
    changed();
  };
  $("composer").addEventListener("submit", send);
  $("task").addEventListener("input", resize);
  $("task").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) $("composer").requestSubmit();
  });
}

/** Lets the field grow with its text. */
function resize() {
  const lines = $("task").value.split("\n").length;
  $("task").rows = Math.min(12, Math.max(2, lines));
}

async function submit(state, text) {
  const path = `/api/sessions/${encodeURIComponent(state.session ?? "")}`;
  const settings = {};
  if ($("model").value.trim()) settings.model = $("model").value.trim();
  if ($("autonomy").value) settings.autonomy = $("autonomy").value;
  if (state.working) {
    await call("POST", `${path}/messages`, { text, when: $("when").value });
  } else if (state.session) {
    await call("POST", `${path}/continue`, { task: text, settings });
  } else {
    const run = await call("POST", "/api/sessions", { task: text, settings });
    location.hash = `session=${encodeURIComponent(run.session)}`;
  }
}

/** Shows the form for a new session, for a working run, or for the next task. */
export function showComposer(state) {
  $("when-label").hidden = !state.working;
  $("settings").hidden = state.working;
  $("send").textContent = state.working ? "Say" : "Send";
  $("task").placeholder = state.working ? "A message for the working run" : state.session ? "The next task" : "Describe a task";
}
