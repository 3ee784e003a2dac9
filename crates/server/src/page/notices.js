// Notifications of the browser while the page is hidden. They contain the name of the tool only.

import { visible } from "./dom.js";
import { closePushed, isSubscribed, subscribe } from "./push.js";

/** Time after which a question that is still open is announced: an earlier one may be closed by its next event. */
const WAIT_MS = 1000;

// Browsers offer notifications only to pages on this machine, and to pages with TLS.
const isOffered = "Notification" in window && window.isSecureContext;
const shown = new Map();

/** Shows the button that requests the permission, unless the person has decided. */
export function initNotices(button) {
  const update = () => { button.hidden = !isOffered || Notification.permission !== "default"; };
  button.addEventListener("click", async () => {
    await Notification.requestPermission();
    update();
    await subscribe();
  });
  update();
}

/** Announces a question if the page is hidden and the question stays open. */
export function announce(question, card, isOpen) {
  if (!isOffered || Notification.permission !== "granted" || isSubscribed()) return;
  setTimeout(() => {
    if (!document.hidden || shown.has(question) || !isOpen()) return;
    const body = card?.tool ? `${visible(card.tool)} waits for an answer` : "A question waits for an answer";
    const notice = new Notification("Windlass", { body, tag: question });
    notice.addEventListener("click", () => {
      window.focus();
      notice.close();
    });
    shown.set(question, notice);
  }, WAIT_MS);
}

/** Removes the notification of a question that was answered. */
export function withdraw(question) {
  shown.get(question)?.close();
  shown.delete(question);
  closePushed(question);
}
