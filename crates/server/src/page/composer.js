// The composer: a task or a message. Each session has a draft of its own.

import { call } from "./api.js";
import { button, element, visible } from "./dom.js";

const $ = (id) => document.getElementById(id);

/** Bytes of all files of a task. */
const MOST_BYTES = 20 * 1024 * 1024;

/** Tasks whose files this page still knows. */
const MOST_SENT = 30;

const AUTONOMY = { ask: "ask", "read-only": "read only", "auto-edit": "edit files", headless: "headless" };

/** The drafts of the other sessions by their ids. The draft of a new session has an empty id. */
const drafts = new Map();
let current = "";

const createDraft = () => ({ text: "", files: [], model: "", autonomy: "", when: "after_turn" });

/** The draft in the form. Its files have a name, their content in base64, and the address of a picture. */
let draft = createDraft();

/** The files of sent tasks and messages: the feed has no names and no content of pictures. */
const sent = [];

/** Keeps the draft of the form, and shows the draft of another session. */
export function switchDraft(session) {
  Object.assign(draft, readForm());
  if (draft.text || draft.files.length || draft.model || draft.autonomy) drafts.set(current, draft);
  else drafts.delete(current);
  current = session ?? "";
  draft = drafts.get(current) ?? createDraft();
  writeForm();
}

function readForm() {
  return { text: $("task").value, model: $("model").value, autonomy: $("autonomy").value, when: $("when").value };
}

function writeForm() {
  $("task").value = draft.text;
  $("model").value = draft.model;
  $("autonomy").value = draft.autonomy;
  $("when").value = draft.when;
  drawAttached();
  resize();
}

/** Reads files, and shows them below the text. */
async function attach(files, note) {
  // The person may open another session while the files are read.
  const target = draft;
  for (const file of files) {
    const size = target.files.reduce((sum, one) => sum + one.data.length, 0) * 0.75;
    if (size + file.size > MOST_BYTES) {
      note(`${file.name} is too large: a task has at most ${MOST_BYTES / 1024 / 1024} MB of files`);
      continue;
    }
    const url = await new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result);
      reader.onerror = () => reject(reader.error);
      reader.readAsDataURL(file);
    });
    const isPicture = /^image\/(png|jpeg|gif|webp)$/.test(file.type);
    target.files.push({ name: file.name || "picture.png", data: url.slice(url.indexOf(",") + 1), url: isPicture ? url : null });
  }
  if (target === draft) drawAttached();
}

function pictureOf(file) {
  if (!file.url) return null;
  const picture = element("img");
  picture.src = file.url;
  picture.alt = "";
  return picture;
}

function drawAttached() {
  $("attached").replaceChildren(...draft.files.map((file) => {
    const remove = button("✕", "small plain", () => {
      draft.files = draft.files.filter((one) => one !== file);
      drawAttached();
    });
    remove.setAttribute("aria-label", `Remove ${visible(file.name)}`);
    return element("figure", "", pictureOf(file), element("figcaption", "quiet", visible(file.name), " ", remove));
  }));
}

/** Creates the files of a task or message: with names and pictures if this page sent it. */
export function sentFiles(session, text, names) {
  const known = sent.find((one) => one.session === session && one.text === text && one.files.length === names.length);
  return names.map((name, at) => {
    const file = known?.files[at];
    return element("span", "attached", file && pictureOf(file), visible(file?.name ?? name));
  });
}

/** Makes the form send. `attempt` runs a request and shows its error. */
export function initComposer(state, attempt, changed, note) {
  const send = async (event) => {
    event.preventDefault();
    const text = $("task").value.trim();
    if (!text) return;
    $("send").disabled = true;
    const [from, source] = [current, draft];
    const wasWorking = state.working;
    const done = await attempt(async () => {
      await submit(state, text);
      return true;
    });
    $("send").disabled = false;
    if (done) {
      // The settings of the next task stay while a message is sent to a working run.
      const { model, autonomy } = source === draft ? readForm() : source;
      const next = Object.assign(createDraft(), wasWorking ? { model, autonomy } : {});
      if (source === draft) {
        draft = next;
        writeForm();
      } else {
        drafts.set(from, next);
      }
    }
    showComposer(state);
    changed();
  };
  $("composer").addEventListener("submit", send);
  $("task").addEventListener("input", resize);
  for (const id of ["model", "autonomy"]) $(id).addEventListener("input", () => showComposer(state));
  $("attach").addEventListener("click", () => $("files").click());
  $("files").addEventListener("change", async () => {
    await attach([...$("files").files], note);
    $("files").value = "";
  });
  const take = (event, transfer) => {
    const files = [...(transfer?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    attach(files, note);
  };
  $("composer").addEventListener("paste", (event) => take(event, event.clipboardData));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => take(event, event.dataTransfer));
  // The keyboard of a phone has no Shift+Enter, so its Enter begins a line.
  const isTouch = matchMedia("(pointer: coarse)").matches;
  $("send").title = isTouch ? "" : "Enter sends, Shift+Enter begins a line";
  $("task").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.shiftKey) return;
    if (isTouch && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    if (!$("send").disabled) $("composer").requestSubmit();
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
  const entry = { session: state.session, text, files: draft.files };
  const files = draft.files.map(({ name, data }) => ({ name, data }));
  if ($("model").value.trim()) settings.model = $("model").value.trim();
  if ($("autonomy").value) settings.autonomy = $("autonomy").value;
  if (files.length) {
    // The event of the task may arrive before the answer of the request.
    sent.push(entry);
    if (sent.length > MOST_SENT) sent.shift();
  }
  if (state.session && text === "/compact" && !files.length) {
    await call("POST", `${path}/compact`);
  } else if (state.working) {
    await call("POST", `${path}/messages`, { text, when: $("when").value, files });
  } else if (state.session) {
    await call("POST", `${path}/continue`, { task: text, settings, files });
  } else {
    const run = await call("POST", "/api/sessions", { task: text, settings, files });
    entry.session = run.session;
    location.hash = `session=${encodeURIComponent(run.session)}`;
  }
}

/** Shows the form for a new session, for a working run, or for the next task, with the settings that will apply. */
export function showComposer(state) {
  $("when-label").hidden = !state.working;
  $("settings").hidden = state.working;
  $("send").textContent = state.working ? "Say" : "Send";
  $("task").disabled = state.isGone;
  const next = state.session ? "The next task" : "Describe a task";
  $("task").placeholder = state.isGone ? "This session does not exist" : state.working ? "A message for the working run" : next;
  const settings = state.session ? state.record : state.defaults;
  $("model").placeholder = visible(settings?.model ?? (state.session ? "…" : "default"));
  const autonomy = settings?.autonomy;
  const [usual, ...others] = $("autonomy").options;
  usual.textContent = autonomy ? AUTONOMY[autonomy] ?? visible(autonomy) : "as the server";
  if ($("autonomy").value && $("autonomy").value === autonomy) $("autonomy").value = "";
  for (const option of others) option.hidden = option.value === autonomy;
  $("mode").hidden = !settings?.mode;
  $("mode").textContent = settings?.mode ? `mode ${visible(settings.mode)}` : "";
  const changes = ["model", "autonomy"].filter((id) => state.session && $(id).value.trim());
  for (const id of ["model", "autonomy"]) $(id).classList.toggle("changed", changes.includes(id));
  $("changed").hidden = changes.length === 0;
}
