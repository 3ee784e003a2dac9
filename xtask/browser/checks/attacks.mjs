// Stored scripts in every text that a model, a tool, a file, an error or a person can produce: none runs.

import { join } from "node:path";

import { assert, assertEqual, openPage, problemsOf, readRecord, startSession, waitForState } from "../pages.mjs";
import { PAYLOADS } from "../payloads.mjs";

const SETTLE_MS = 400;

/** Opens everything that can be opened, and moves over everything, as a curious person would. */
async function touchAll(page) {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    for (const found of document.querySelectorAll("body *")) {
      for (const kind of ["mouseover", "focus", "pointerenter"]) found.dispatchEvent(new Event(kind, { bubbles: true }));
    }
  });
  await page.waitForTimeout(SETTLE_MS);
}

/** Returns elements that only markup of a text can have made. */
function findForeign() {
  const own = new Set(["script", "link", "meta", "title", "head", "style"]);
  const kinds = "script,style,iframe,object,embed,svg,math,video,audio,base,form,img,a,template,noscript,input,details";
  return [...document.querySelectorAll(kinds)].filter((found) => {
    const name = found.localName;
    if (own.has(name) && found.closest("head")) return false;
    if (name === "noscript" && found.parentElement === document.body) return false;
    if (["form", "input", "details"].includes(name)) {
      return [...found.attributes].some(({ name }) => name.startsWith("on") || name === "action");
    }
    if (name === "img") return !/^(blob:|data:image\/)/.test(found.src);
    return name !== "a" || !/^(blob:|http:\/\/127\.0\.0\.1|#)/.test(found.href);
  }).map((found) => found.outerHTML.slice(0, 200));
}

/** Returns shown texts with characters that change the order of others or cannot be seen. Values of fields may have them. */
function findInvisible() {
  const invisible = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/u;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const place = texts.currentNode.parentElement;
    if (place.localName !== "textarea") found.push([place, texts.currentNode.data]);
  }
  for (const shown of document.querySelectorAll("[placeholder],[aria-label],[title],[alt],option[label]")) {
    const names = ["placeholder", "aria-label", "title", "alt", "label"];
    found.push(...names.map((name) => [shown, shown.getAttribute(name) ?? ""]));
  }
  found.push([document.head, document.title]);
  return found.filter(([, text]) => invisible.test(text)).map(([{ localName, id, className }, text]) => (
    `invisible: ${localName}#${id}.${className}: ${JSON.stringify(text.slice(0, 200))}`
  ));
}

async function expectCalm(page, name) {
  await touchAll(page);
  const made = (await page.evaluate(findForeign)).map((text) => `element: ${text}`);
  const found = [...await problemsOf(page), ...made, ...await page.evaluate(findInvisible)];
  assert(found.length === 0, `${name}: ${found.slice(0, 10).join("\n")}`);
}

/** Waits for a card. Returns false if the session ended. The record of a session can be behind its last answer. */
async function nextCard(page, session, card) {
  for (;;) {
    const { state } = await waitForState(page, session, "waiting", "ended", "failed");
    if (state !== "waiting") return false;
    if (await card.waitFor({ timeout: 2000 }).then(() => true, () => false)) return true;
  }
}

/** A real run whose reasoning, texts, file names, contents, errors, questions, commands and names are payloads. */
async function run(setting) {
  const page = await openPage(setting);
  const session = await startSession(page, `part attack ${PAYLOADS.join("\n")}`, { autonomy: "auto-edit" });
  let cards = 0;
  for (;;) {
    const first = page.locator("article.card").first();
    if (!await nextCard(page, session, first)) break;
    const card = page.locator(`article.card[data-question="${await first.getAttribute("data-question")}"]`);
    if (cards < 3) {
      await expectCalm(page, `card ${cards}`);
      await page.screenshot({ path: join(setting.output, `attack-card-${cards}.png`) });
    }
    await page.waitForTimeout(650);
    const isQuestion = await card.getByRole("button", { name: "Answer", exact: true }).count() > 0;
    if (isQuestion) {
      await card.getByLabel("Answer").fill(PAYLOADS.join(" "));
      await card.getByRole("button", { name: "Answer", exact: true }).click();
    } else {
      await card.getByLabel("Comment for the model").fill(PAYLOADS[cards % PAYLOADS.length]);
      await card.getByRole("button", { name: cards % 2 ? "No" : "Once", exact: true }).click();
    }
    await card.waitFor({ state: "detached" });
    cards += 1;
  }
  await page.waitForTimeout(500);
  await expectCalm(page, "transcript");
  await page.screenshot({ path: join(setting.output, "attack-ended.png") });
  for (const name of PAYLOADS) await apiRename(page, session, name);
  await page.reload();
  await page.locator("#log li").nth(20).waitFor();
  await expectCalm(page, "after a reload");
  const record = await readRecord(page, session);
  const text = JSON.stringify(record);
  const stored = PAYLOADS.filter((payload) => text.includes(JSON.stringify(payload).slice(1, -1)));
  assertEqual(stored.length, PAYLOADS.length, "payloads in the record");
  return `${PAYLOADS.length} payloads, ${record.length} events, ${cards} cards; 0 ran`;
}

/** Renames a session, and lets the page list it. */
async function apiRename(page, session, name) {
  await page.evaluate(async ([session, name]) => {
    const { csrf } = await (await fetch("/api/me")).json();
    const headers = { "x-windlass-csrf": csrf, "content-type": "application/json" };
    await fetch(`/api/sessions/${session}`, { method: "PATCH", headers, body: JSON.stringify({ name }) });
  }, [session, name]);
}

/** Replaces every text of a value, including the names of kinds and states, except the one that selects the kind. */
function poison(value, payload, key = "") {
  if (typeof value === "string") return ["kind", "session", "run", "about"].includes(key) ? value : payload;
  if (Array.isArray(value)) return value.map((one) => poison(one, payload, key));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, poison(one, payload, name)]));
  }
  return value;
}

/** Every text of every event and list of the API is a payload, one payload after the other. */
async function everyText(setting) {
  const source = await openPage(setting);
  const sessions = await source.evaluate(async () => (await fetch("/api/sessions")).json());
  const kinds = new Map();
  for (const { id } of sessions.slice(0, 12)) {
    for (const event of await readRecord(source, id)) {
      const key = [event.kind, event.about, Boolean(event.agent), event.outcome?.state].join(" ");
      if (!kinds.has(key)) kinds.set(key, event);
    }
  }
  const base = { seq: 0, session: "s", run: "r", at_ms: 0 };
  const deltas = [
    { ...base, kind: "turn_started", turn: 9 },
    { ...base, kind: "text_delta", turn: 9, index: 0, offset: 0, text: "" },
    { ...base, kind: "reasoning_delta", turn: 9, index: 0, offset: 0, text: "" },
    { ...base, kind: "call_started", call: "c", tool: "t" },
    { ...base, kind: "arguments_delta", call: "c", offset: 0, text: "" },
    { ...base, kind: "call_note", call: "c", text: "" },
    { ...base, kind: "call_output", call: "c", text: "" },
  ];
  const agent = { call: "a", names: ["n", "m"] };
  const extra = [
    { ...base, kind: "notice", text: "" }, { ...base, kind: "error", message: "" }, { ...base, kind: "mode", mode: "" },
    { ...base, kind: "retry", reason: "", delay_ms: 1 }, { ...base, kind: "turn_diff", turn: 1, diff: "" },
    { ...base, kind: "run_diff", diff: "" }, { ...base, kind: "checkpoint", turn: 1, id: "" },
    { ...base, kind: "message_queued", text: "", after_task: true }, { ...base, kind: "message", text: "", source: "person" },
    { ...base, kind: "images_removed", reason: "" }, { ...base, kind: "protocol_changed", protocol: "" },
    { ...base, kind: "compacted", results: 1, has_removed_turns: true, note: "" },
    { ...base, kind: "run_ended", outcome: { state: "failed", message: "" }, total: {} },
    { ...base, kind: "run_ended", outcome: { state: "completed", text: "" }, total: {} },
    { ...base, kind: "text", turn: 1, text: "", agent }, { ...base, kind: "call", turn: 1, call: "x", tool: "", arguments: {}, agent },
  ];
  const events = [...kinds.values(), ...extra, ...deltas];
  const page = await openPage(setting);
  let payload = PAYLOADS[0];
  await page.route("**/api/sessions", (route) => route.fulfill({ json: sessions.slice(0, 3).map((one) => ({
    ...poison(one, payload), id: one.id, updated_ms: 1,
  })) }));
  await page.route("**/api/models", (route) => route.fulfill({ json: [{ provider: payload, model: payload, is_default: true }] }));
  await page.route("**/feed?*", (route) => {
    const lines = events.map((event, at) => {
      const isDelta = deltas.includes(event);
      const seq = isDelta ? events.length : at + 1;
      const data = { ...poison(event, payload), seq };
      // The outcome and the answer select the way in which an event is drawn.
      if (event.outcome) data.outcome = { ...data.outcome, state: event.outcome.state };
      return `${isDelta ? "" : `id: ${seq}\n`}data: ${JSON.stringify(data)}\n\n`;
    });
    return route.fulfill({ contentType: "text/event-stream", body: lines.join("") });
  });
  let items = 0;
  for (payload of PAYLOADS) {
    await page.goto("about:blank");
    await page.goto(`http://${setting.place.address}/#session=${sessions[0].id}`);
    await page.locator("#log li").nth(10).waitFor();
    await page.waitForTimeout(60);
    await page.evaluate(() => { for (const details of document.querySelectorAll("details")) details.open = true; });
    const found = [...await problemsOf(page), ...await page.evaluate(findForeign), ...await page.evaluate(findInvisible)];
    assert(found.length === 0, `${payload}: ${found.slice(0, 10).join("\n")}`);
    items = await page.locator("#log li").count();
  }
  await page.screenshot({ path: join(setting.output, "attack-every-text.png") });
  return `${PAYLOADS.length} payloads in every text of ${events.length} events (${items} items); 0 ran`;
}

export const attacks = { "attacks in a run": run, "attacks in every text": everyText };
