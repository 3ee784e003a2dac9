// Dialogs: a text, a confirmation, and the preview of a restore.

import { call } from "./api.js";
import { diffElement } from "./code.js";
import { button, clock, count, element, visible } from "./dom.js";

/** Opens a dialog, and removes it when it is closed. */
function open(title, ...children) {
  const dialog = element("dialog", "", element("h2", "", title), ...children);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks for a text. Returns it, or null. */
export function askForText(title, label, value = "", submit = "OK") {
  return new Promise((resolve) => {
    const input = element("textarea");
    input.rows = 2;
    input.value = value;
    input.setAttribute("aria-label", label);
    const finish = (result) => {
      resolve(result);
      dialog.close();
    };
    const accept = () => (input.value.trim() ? finish(input.value.trim()) : input.focus());
    const buttons = element("div", "buttons", button(submit, "", accept), button("Cancel", "plain", () => finish(null)));
    const dialog = open(title, element("label", "quiet", label, input), buttons);
    dialog.addEventListener("close", () => resolve(null));
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        accept();
      }
    });
    input.select();
  });
}

/** Asks for a confirmation. Returns true or false. */
export function confirmAction(title, text, submit) {
  return new Promise((resolve) => {
    const finish = (result) => {
      resolve(result);
      dialog.close();
    };
    const buttons = element("div", "buttons", button(submit, "no", () => finish(true)), button("Cancel", "plain", () => finish(false)));
    const dialog = open(title, element("p", "", text), buttons);
    dialog.addEventListener("close", () => resolve(false));
  });
}

/** Shows the files of a checkpoint that differ, and restores them after a confirmation. */
export async function openRestore(session, event, note) {
  const path = `/api/sessions/${encodeURIComponent(session)}`;
  const target = { run: event.run, checkpoint: event.id, others: "keep" };
  const [plan, diff] = await Promise.all([
    call("POST", `${path}/restore`, target),
    call("GET", `${path}/diff?run=${encodeURIComponent(event.run)}&now=true`),
  ]);
  const list = (title, files) =>
    files.length ? element("div", "", element("div", "quiet", title), element("ul", "", ...files.map((file) => element("li", "", visible(file))))) : null;
  const isEmpty = plan.written.length + plan.removed.length === 0;
  const restore = async () => {
    try {
      const done = await call("POST", `${path}/restore`, { ...target, digest: plan.digest });
      note(`Restored ${count(done.written.length, "file")} and removed ${done.removed.length}.`);
    } catch (error) {
      note(error.message);
    }
    dialog.close();
  };
  const dialog = open(
    `Restore the files before turn ${event.turn}`,
    isEmpty ? element("p", "", "The files are as they were.") : null,
    list("Restored", plan.written),
    list("Removed, because they were created since", plan.removed),
    list("Not changed", plan.kept.map((file) => `${file.path}: ${file.why}`)),
    diff.text && !isEmpty ? element("details", "thought", element("summary", "", "Changes of the run until now"), diffElement(diff.text)) : null,
    element("div", "buttons", isEmpty ? null : button("Restore", "no", restore), button("Close", "plain", () => dialog.close())),
  );
  dialog.classList.add("wide-dialog");
}

/** Shows the devices that may use the server, and revokes them. `attempt` runs a request and shows its error. */
export async function openDevices(attempt) {
  const devices = await call("GET", "/api/devices");
  const list = element("ul", "devices", ...devices.map((device) => {
    const revoke = button("Revoke", "small no", async () => {
      if (device.is_own && !await confirmAction("Revoke this browser?", "It needs a new token afterwards.", "Revoke")) return;
      const done = await attempt(async () => {
        await call("DELETE", `/api/devices/${encodeURIComponent(device.id)}`);
        return true;
      });
      if (!done) return;
      item.remove();
      if (device.is_own) location.reload();
    });
    revoke.setAttribute("aria-label", `Revoke ${visible(device.name)}`);
    const item = element("li", "", element("span", "name", visible(device.name)),
      element("span", "quiet", device.is_own ? "this browser" : `since ${clock(device.added_ms)}`), revoke);
    return item;
  }));
  const logOut = () => attempt(async () => {
    await call("POST", "/api/logout");
    location.reload();
  });
  const dialog = open(
    "Devices",
    list,
    element("p", "quiet", "windlass serve --add-device NAME adds a device."),
    element("div", "buttons", button("Log out this browser", "plain", logOut), button("Close", "plain", () => dialog.close())),
  );
}
