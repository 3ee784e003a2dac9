// The composer: a task or a message.

import { call } from "./api.js";
import { button, element, visible } from "./dom.js";

const $ = (id) => document.getElementById(id);

/** Bytes of all files of a task. */
const MOST_BYTES = 20 * 1024 * 1024;

/** The files of the next task: their names, their content in base64, and addresses of pictures. */
let attached = [];

/** Reads files, and shows them below the text. */
async function attach(files, note) {
  for (const file of files) {
    const size = attached.reduce((sum, one) => sum + one.data.length, 0) * 0.75;
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
    attached.push({ name: file.name || "picture.png", data: url.slice(url.indexOf(",") + 1), url: isPicture ? url : null });
  }
  drawAttached();
}

function drawAttached() {
  $("attached").replaceChildren(...attached.map((file) => {
    const picture = file.url ? element("img") : null;
    if (picture) {
      picture.src = file.url;
      picture.alt = "";
    }
    const remove = button("✕", "small plain", () => {
      attached = attached.filter((one) => one !== file);
      drawAttached();
    });
    remove.setAttribute("aria-label", `Remove ${visible(file.name)}`);
    return element("figure", "", picture, element("figcaption", "quiet", visible(file.name), " ", remove));
  }));
}

/** Makes the form send. `attempt` runs a request and shows its error. */
export function initComposer(state, attempt, changed, note) {
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
    if (done) {
      $("task").value = "";
      attached = [];
      drawAttached();
    }
    resize();
    changed();
  };
  $("composer").addEventListener("submit", send);
  $("task").addEventListener("input", resize);
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
  const files = attached.map(({ name, data }) => ({ name, data }));
  if ($("model").value.trim()) settings.model = $("model").value.trim();
  if ($("autonomy").value) settings.autonomy = $("autonomy").value;
  if (state.session && text === "/compact" && !files.length) {
    await call("POST", `${path}/compact`);
  } else if (state.working) {
    await call("POST", `${path}/messages`, { text, when: $("when").value, files });
  } else if (state.session) {
    await call("POST", `${path}/continue`, { task: text, settings, files });
  } else {
    const run = await call("POST", "/api/sessions", { task: text, settings, files });
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
