// The subscription of this browser to web push.

import { call } from "./api.js";

const isOffered = "serviceWorker" in navigator && "PushManager" in window && window.isSecureContext;

let worker = null;
let isActive = false;

/** Returns the address of the service worker, as the page's policy for trusted types demands. */
function workerAddress() {
  const address = "/sw.js";
  if (!window.trustedTypes) return address;
  return window.trustedTypes.createPolicy("worker", { createScriptURL: () => address }).createScriptURL(address);
}

function decode(text) {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, (letter) => letter.charCodeAt(0));
}

function isSameKey(subscription, key) {
  const known = new Uint8Array(subscription.options?.applicationServerKey ?? []);
  return known.length === key.length && known.every((byte, at) => byte === key[at]);
}

/** Subscribes this browser if its person has permitted notifications. Without a push service the page announces alone. */
export async function subscribe() {
  if (!isOffered || Notification.permission !== "granted") return;
  try {
    const state = await call("GET", "/api/push");
    if (!state?.key) return;
    const key = decode(state.key);
    worker ??= await navigator.serviceWorker.register(workerAddress(), { scope: "/" });
    await navigator.serviceWorker.ready;
    let known = await worker.pushManager.getSubscription();
    // A server with another key cannot use the subscription.
    if (known && !isSameKey(known, key)) {
      await known.unsubscribe();
      known = null;
    }
    known ??= await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    const { endpoint, keys } = known.toJSON();
    await call("PUT", "/api/push", { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } });
    isActive = true;
  } catch (error) {
    console.info(`web push is not available: ${error.message}`);
  }
}

/** Returns true if the server announces questions to this browser. */
export function isSubscribed() {
  return isActive;
}

/** Removes the notification of a question. */
export async function closePushed(question) {
  const notices = await worker?.getNotifications({ tag: question });
  for (const notice of notices ?? []) notice.close();
}
