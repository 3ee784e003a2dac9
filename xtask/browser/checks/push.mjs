// Web push: the page subscribes the browser, and the service worker shows a message while no page is visible.

import { createECDH, randomBytes } from "node:crypto";

import { DESK, api, assert, assertEqual, openPage, problemsOf } from "../pages.mjs";

const ENDPOINT = "https://push.example/subscription";
const WAIT_MS = 30000;

/** Replaces the browser's push service, which is not reachable here, by a subscription with keys of its form. */
function fakePushService({ endpoint, keys }) {
  PushManager.prototype.getSubscription = async () => null;
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    window.__subscribed = { userVisibleOnly, key: [...applicationServerKey] };
    return { options: { applicationServerKey }, toJSON: () => ({ endpoint, expirationTime: null, keys }) };
  };
}

async function until(work, what) {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const found = await work();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`${what} did not happen in time`);
    await new Promise((resolve) => { setTimeout(resolve, 100); });
  }
}

async function push(setting) {
  const origin = `http://${setting.place.address}`;
  const curve = createECDH("prime256v1");
  const keys = { p256dh: curve.generateKeys("base64url"), auth: randomBytes(16).toString("base64url") };
  const page = await openPage(setting, { size: DESK, link: null });
  await page.context().grantPermissions(["notifications"], { origin });
  await page.addInitScript(fakePushService, { endpoint: ENDPOINT, keys });
  const client = await page.context().newCDPSession(page);
  let registration;
  client.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    registration = registrations.find(({ scopeURL }) => scopeURL === `${origin}/`) ?? registration;
  });
  await client.send("ServiceWorker.enable");
  await page.goto(setting.place.link);
  await page.waitForFunction(() => document.querySelector("#model")?.placeholder !== "");
  const state = await until(async () => {
    const found = await api(page, "GET", "/api/push");
    return found.is_subscribed && found;
  }, "the subscription");
  const subscribed = await page.evaluate(() => window.__subscribed);
  assertEqual(subscribed.userVisibleOnly, true, "userVisibleOnly");
  assertEqual(Buffer.from(subscribed.key).toString("base64url"), state.key, "the key of the server");
  const found = await until(() => registration, "the registration of the service worker");

  const shown = () => page.evaluate(async () => {
    const known = await navigator.serviceWorker.ready;
    return (await known.getNotifications()).map(({ title, body, tag }) => ({ title, body, tag }));
  });
  const deliver = (value) => client.send("ServiceWorker.deliverPushMessage", {
    origin, registrationId: found.registrationId, data: JSON.stringify(value),
  });
  // A page that is visible shows the question itself.
  await deliver({ question: "visible", tool: "write_file" });
  await page.waitForTimeout(1000);
  assertEqual(await shown(), [], "notifications while the page is visible");
  // Without a page.
  await page.goto("about:blank");
  await deliver({ question: "closed", tool: "write_file" });
  await deliver({ question: "closed", tool: "write_file" });
  await deliver({ question: "words", tool: null });
  await page.waitForTimeout(1000);
  await page.goto(`${origin}/`);
  const notices = await until(async () => {
    const all = await shown();
    return all.length >= 2 && all;
  }, "the notifications of the service worker");
  const bodies = notices.map(({ title, body, tag }) => `${title}: ${body} (${tag})`).sort();
  assertEqual(bodies, ["Windlass: A question waits for an answer (words)", "Windlass: write_file waits for an answer (closed)"], "the notifications");
  await api(page, "DELETE", "/api/push");
  assert(!(await api(page, "GET", "/api/push")).is_subscribed, "the subscription stays");
  const problems = await problemsOf(page);
  assert(problems.length === 0, problems.join("\n"));
  return "the service worker shows the name of the tool";
}

export const pushes = { "web push": push };
