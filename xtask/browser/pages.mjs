// Pages of a browser that report scripts, policy violations, errors and requests to other hosts.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export const PHONE = { width: 390, height: 780 };
export const DESK = { width: 1180, height: 800 };

/** Opens the page in a context of its own, logged in with the link of a device. */
export async function openPage(setting, { size = DESK, dark = false, link = setting.place.link } = {}) {
  const scheme = dark ? "dark" : "light";
  const context = await setting.browser.newContext({ viewport: size, colorScheme: scheme, acceptDownloads: true });
  const page = await context.newPage();
  page.problems = await watch(page, setting.place.address);
  if (setting.pageFolder) await serveFrom(page, setting.pageFolder, setting.place.address);
  if (link) {
    await page.goto(link);
    await page.waitForFunction(() => document.querySelector("#model")?.placeholder !== "");
  }
  return page;
}

/** Records what must not happen. A script of a payload increases `__ran`. */
async function watch(page, address) {
  const problems = [];
  page.on("dialog", async (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("popup", () => problems.push("popup"));
  page.on("request", (request) => {
    const url = new URL(request.url());
    const isOwn = url.host === address || ["blob:", "data:", "about:"].includes(url.protocol);
    if (!isOwn) problems.push(`request: ${request.url()}`);
  });
  await page.addInitScript(() => {
    window.__ran = 0;
    window.__violations = [];
    addEventListener("securitypolicyviolation", (event) => {
      window.__violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
    });
  });
  return problems;
}

/** Returns everything that went wrong on a page. */
export async function problemsOf(page) {
  const [ran, violations] = await page.evaluate(() => [window.__ran, window.__violations]);
  return [...page.problems, ...violations.map((text) => `policy: ${text}`), ...(ran ? [`scripts that ran: ${ran}`] : [])];
}

/** Serves the files of the page from a folder, so that a change needs no build. */
async function serveFrom(page, folder, address) {
  await page.route(`http://${address}/*`, async (route) => {
    const { pathname } = new URL(route.request().url());
    const name = pathname === "/" ? "index.html" : pathname.slice(1);
    let body;
    try {
      body = readFileSync(join(folder, name), "utf8");
    } catch {
      return route.continue();
    }
    const type = { html: "text/html", css: "text/css", js: "text/javascript", svg: "image/svg+xml" }[name.split(".").pop()];
    const response = await route.fetch({ url: `http://${address}/` });
    await route.fulfill({ status: 200, headers: { ...response.headers(), "content-type": `${type}; charset=utf-8` }, body });
  });
}

/** Starts a session over the API of a page, opens it, and returns its id. */
export async function startSession(page, task, settings = {}) {
  const session = (await api(page, "POST", "/api/sessions", { task, settings })).session;
  await page.evaluate((id) => { location.hash = `session=${encodeURIComponent(id)}`; }, session);
  return session;
}

/** Sends a request with the cookie of a page. */
export async function api(page, method, path, body) {
  return page.evaluate(async ([method, path, body]) => {
    const { csrf } = await (await fetch("/api/me")).json();
    const headers = { "x-windlass-csrf": csrf, ...(body ? { "content-type": "application/json" } : {}) };
    const response = await fetch(path, { method, headers, body: body ? JSON.stringify(body) : undefined });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }, [method, path, body]);
}

/** Waits until a session has a state, and returns it. */
export async function waitForState(page, session, ...states) {
  const deadline = Date.now() + 120000;
  for (;;) {
    const found = await api(page, "GET", `/api/sessions/${session}`);
    if (states.includes(found.state)) return found;
    if (Date.now() > deadline) throw new Error(`the session is ${found.state}, and not ${states.join(" or ")}`);
    await page.waitForTimeout(100);
  }
}

/** Reads the numbered events of a session that does not work any more. */
export async function readRecord(page, session) {
  return page.evaluate(async (session) => {
    const response = await fetch(`/api/sessions/${session}/feed?after=0`);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const quiet = new Promise((resolve) => { setTimeout(() => resolve({ done: true }), 1500); });
      const { done, value } = await Promise.race([reader.read(), quiet]);
      if (done) break;
      text += value;
    }
    reader.cancel();
    const lines = text.split("\n").filter((line) => line.startsWith("data:"));
    return lines.map((line) => JSON.parse(line.slice(5)));
  }, session);
}

/** Waits until a card of a question can be answered. */
export async function waitForCard(page, text = "") {
  const card = page.locator("article.card", { hasText: text }).first();
  await card.waitFor({ timeout: 60000 });
  // A card does not take answers before it was visible for a moment.
  await page.waitForTimeout(750);
  return card;
}

/** Fails with a message unless a condition holds. */
export function assert(condition, message) {
  if (!condition) throw new Error(message);
}

export function assertEqual(left, right, message) {
  const [first, second] = [JSON.stringify(left), JSON.stringify(right)];
  assert(first === second, `${message}: ${first?.slice(0, 1500)} is not ${second?.slice(0, 1500)}`);
}
