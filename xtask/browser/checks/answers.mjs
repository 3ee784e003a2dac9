// Answers of questions: from one page, and from two at once.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { api, assert, assertEqual, openPage, problemsOf, readRecord, startSession, waitForCard, waitForState } from "../pages.mjs";
import { PIXEL } from "../script.mjs";
import { compare } from "./streams.mjs";

const press = (card, name) => card.getByRole("button", { name, exact: true }).click();

/** The first answer counts, and the other page says where it was given. */
async function two(setting) {
  const first = await openPage(setting);
  const second = await openPage(setting);
  const session = await startSession(first, "part two: two pages");
  await second.evaluate((id) => { location.hash = `session=${id}`; }, session);
  const [left, right] = await Promise.all([waitForCard(first, "write_file"), waitForCard(second, "write_file")]);
  await press(left, "Once");
  await right.waitFor({ state: "detached" });
  await second.locator("#log [data-kind=question_closed]", { hasText: "page on laptop" }).waitFor();
  // Both press at the same time: one answer counts, the other page reports it.
  const cards = await Promise.all([waitForCard(first, "run_command"), waitForCard(second, "run_command")]);
  // A click at a place would wait for a card that the other answer has closed.
  const click = (card, name) => card.getByRole("button", { name, exact: true }).evaluate((found) => found.click());
  await Promise.all([click(cards[0], "No"), click(cards[1], "Once")]);
  await waitForState(first, session, "ended");
  await first.waitForTimeout(300);
  const closings = await first.locator("#log [data-kind=question_closed]").allInnerTexts();
  assertEqual(closings.length, 2, "answers that counted");
  const record = await compare(first, session);
  await compare(second, session);
  const answers = record.filter((event) => event.kind === "question_closed");
  assertEqual(answers.length, 2, "answers in the record");
  assertEqual([...await problemsOf(first), ...await problemsOf(second)], [], "problems");
  return `closed with: ${closings.map((text) => text.replaceAll("\n", " ")).join("; ")}`;
}

/** Keys and clicks before a card was visible for a moment do not answer it. */
async function early(setting) {
  const page = await openPage(setting);
  const session = await startSession(page, "part two: an early click");
  const card = page.locator("article.card");
  await card.waitFor();
  await card.getByRole("button", { name: "Once", exact: true }).evaluate((found) => found.click());
  await page.keyboard.press("Enter");
  await page.waitForTimeout(800);
  assert(await card.count() === 1, "an early click answered the question");
  await press(card, "No");
  const second = await waitForCard(page, "run_command");
  await second.getByLabel("Comment for the model").fill("keep the folder");
  await press(second, "No");
  await waitForState(page, session, "ended");
  await page.waitForTimeout(300);
  const record = await compare(page, session);
  const closings = record.filter((event) => event.kind === "question_closed");
  assertEqual(closings.map((event) => event.answer), ["denied", "denied"], "answers");
  assertEqual(closings[1].comment, "keep the folder", "the comment");
  return "";
}

/** Several questions are a queue, and each card says its place. */
async function queue(setting) {
  const page = await openPage(setting);
  const session = await startSession(page, "part queue: write three files");
  for (const name of ["a.txt", "b.txt", "c.txt"]) {
    const card = await waitForCard(page, name);
    await press(card, name === "b.txt" ? "No" : "Once");
    await card.waitFor({ state: "detached" });
  }
  await waitForState(page, session, "ended");
  const has = ["a.txt", "b.txt", "c.txt"].map((name) => existsSync(join(setting.place.project, name)));
  assertEqual(has, [true, false, true], "the files");
  await page.waitForTimeout(300);
  await compare(page, session);
  return "";
}

/** The arguments of a call are edited before it runs. */
async function edited(setting) {
  const page = await openPage(setting);
  const session = await startSession(page, "part edit: write a file");
  const card = await waitForCard(page, "edit.txt");
  await press(card, "Edit");
  await card.getByLabel("content").fill("changed by a person\n");
  await page.screenshot({ path: join(setting.output, "edit.png") });
  await press(card, "Run with these arguments");
  // The changed call is bound again: the next card shows what it would do now.
  const changed = await waitForCard(page, "changed by a person");
  assert(!(await changed.innerText()).includes("from the model"), "the card shows the arguments of the model");
  await press(changed, "Once");
  await waitForState(page, session, "ended");
  assertEqual(readFileSync(join(setting.place.project, "edit.txt"), "utf8"), "changed by a person\n", "the file");
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(setting.output, "edit-ended.png") });
  assertEqual(await problemsOf(page), [], "problems");
  return "";
}

/** A rule is shown with its examples, is written, and answers the next call of the same shape. */
async function rule(setting) {
  const page = await openPage(setting);
  const session = await startSession(page, "part rule: write a note");
  const card = await waitForCard(page, "notes/one.txt");
  await press(card, "Make a rule");
  await card.getByRole("heading", { name: "Make a rule" }).waitFor();
  const allows = await card.locator(".allows li").allInnerTexts();
  const refuses = await card.locator(".refuses li").allInnerTexts();
  assert(allows.length > 0 && refuses.length > 0, "a rule without examples");
  await page.screenshot({ path: join(setting.output, "rule.png"), fullPage: true });
  await press(card, "Write the rule and allow");
  await card.waitFor({ state: "detached" });
  await waitForState(page, session, "ended");
  const written = await page.locator("#note").innerText();
  assert(written.includes("The rule was written"), `the page says ${written}`);
  // The same call in a new session needs no answer.
  const second = await startSession(page, "part rule: write it again");
  const { state } = await waitForState(page, second, "ended", "waiting");
  assertEqual(state, "ended", "the state with the rule");
  const opened = (await readRecord(page, second)).filter((event) => event.kind === "question_opened");
  assertEqual(opened.length, 0, "questions with the rule");
  assertEqual(await problemsOf(page), [], "problems");
  return `allows ${allows.length} examples, refuses ${refuses.length}`;
}

/** A question that is answered later suspends the run, which the answer resumes. */
async function later(setting) {
  const page = await openPage(setting);
  const session = await startSession(page, "part queue: answer later");
  for (const name of ["a.txt", "b.txt", "c.txt"]) {
    const card = await waitForCard(page, name);
    await press(card, "Later");
    await page.waitForTimeout(200);
    if (name !== "c.txt" && await page.locator("article.card").count() === 1) break;
  }
  const state = await waitForState(page, session, "suspended", "waiting");
  if (state.state === "waiting") {
    for (const name of ["b.txt", "c.txt"]) await press(await waitForCard(page, name), "Later").catch(() => {});
    await waitForState(page, session, "suspended");
  }
  await page.reload();
  await page.waitForTimeout(800);
  const places = await page.locator("article.card .place").allInnerTexts();
  await page.screenshot({ path: join(setting.output, "queue.png") });
  while ((await waitForState(page, session, "suspended", "working", "waiting", "ended")).state !== "ended") {
    const card = page.locator("article.card").first();
    if (await card.count() === 0) {
      await page.waitForTimeout(200);
      continue;
    }
    await page.waitForTimeout(700);
    const id = await card.getAttribute("data-question");
    await press(card, "No").catch(() => {});
    await page.locator(`article.card[data-question="${id}"]`).waitFor({ state: "detached" });
  }
  await page.waitForTimeout(300);
  await compare(page, session);
  assertEqual(await problemsOf(page), [], "problems");
  return `suspended with ${places.length} cards: ${places.join(", ")}`;
}

/** One call is stopped, and the run continues. A checkpoint is compared and restored. */
async function stopAndRestore(setting) {
  const page = await openPage(setting);
  const session = await startSession(page, "part stop: wait and write", { autonomy: "auto-edit" });
  await press(await waitForCard(page, "sleep 600"), "Once");
  const call = page.locator("#log li.call", { hasText: "sleep 600" });
  await call.getByRole("button", { name: "Stop", exact: true }).click({ timeout: 30000 });
  await waitForState(page, session, "ended");
  await page.getByText("It was stopped, and the file is written.").first().waitFor();
  const file = join(setting.place.project, "restored.txt");
  assert(existsSync(file), "the file of the run is missing");
  await page.locator("#log .checkpoint").last().getByRole("button").click();
  const dialog = page.locator("dialog[open]");
  await dialog.getByText("restored.txt").first().waitFor();
  await page.screenshot({ path: join(setting.output, "restore.png") });
  await press(dialog, "Restore");
  await dialog.waitFor({ state: "detached" });
  assert(!existsSync(file), "the restore left the file");
  assertEqual(await problemsOf(page), [], "problems");
  return await page.locator("#note").innerText();
}

/** A message that is delivered now stops the running call, and the model gets it with the result. */
async function message(setting) {
  const page = await openPage(setting);
  const session = await startSession(page, "part stop: get a message", { autonomy: "auto-edit" });
  await press(await waitForCard(page, "sleep 600"), "Once");
  await page.locator("#log li.call .output", { hasText: "begins" }).waitFor();
  await page.locator("#when").selectOption("now");
  await page.locator("#task").fill("do not wait");
  await page.locator("#send").click();
  await waitForState(page, session, "ended");
  await page.locator("#log [data-kind=message]", { hasText: "do not wait" }).waitFor();
  await page.waitForTimeout(300);
  const record = await compare(page, session);
  assert(record.some((event) => event.kind === "message" && event.text === "do not wait"), "the message is not in the record");
  assertEqual(await problemsOf(page), [], "problems");
  return "";
}

/** A task with a picture and a text file, which a person chooses. */
async function picture(setting) {
  const page = await openPage(setting);
  await page.locator("#files").setInputFiles([
    { name: "dot.png", mimeType: "image/png", buffer: Buffer.from(PIXEL, "base64") },
    { name: "<b>notes.txt", mimeType: "text/plain", buffer: Buffer.from("a note\n") },
  ]);
  await page.locator("#attached img").waitFor();
  await page.locator("#task").fill("part picture: look at both");
  await page.screenshot({ path: join(setting.output, "picture.png") });
  await page.locator("#send").click();
  await page.getByText("It is one pixel.").first().waitFor();
  const shown = await page.locator("#log .attached").allInnerTexts();
  assertEqual(shown.length, 2, `the files of the task: ${shown}`);
  assert(shown[0].includes("dot.png"), `the name of the picture: ${shown[0]}`);
  assertEqual(await page.locator("#log .attached img").count(), 1, "thumbnails");
  assertEqual(await page.locator("#attached figure").count(), 0, "files of the next task");
  assertEqual(await problemsOf(page), [], "problems");
  return shown.join(", ");
}

/** Rename, fork and export from the list of sessions. */
async function manage(setting) {
  const page = await openPage(setting);
  const session = await startSession(page, "part edit: manage me", { autonomy: "auto-edit" });
  await waitForState(page, session, "ended");
  await page.waitForTimeout(400);
  const actions = page.locator("#side .actions");
  await press(actions, "Rename");
  await page.locator("dialog[open] textarea").fill("A better name");
  await press(page.locator("dialog[open]"), "Rename");
  await page.locator("#title", { hasText: "A better name" }).waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), actions.getByText("Markdown").click()]);
  const text = readFileSync(await download.path(), "utf8");
  assert(text.includes("part edit: manage me"), "the export has no task");
  await press(actions, "Fork");
  await page.locator("dialog[open] textarea").fill("part edit: go on");
  await press(page.locator("dialog[open]"), "Fork");
  await page.waitForFunction((old) => location.hash && !location.hash.includes(old), session);
  const fork = await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("session"));
  await waitForState(page, fork, "ended");
  await page.waitForTimeout(400);
  await press(page.locator("#side .actions"), "Delete");
  await press(page.locator("dialog[open]"), "Delete");
  await page.waitForFunction(() => !location.hash);
  assertEqual(await problemsOf(page), [], "problems");
  return `exported ${text.length} characters`;
}

/** A hidden page announces a question with the name of the tool only, and withdraws it after the answer. */
async function notices(setting) {
  const page = await openPage(setting, { link: null });
  await page.context().grantPermissions(["notifications"], { origin: `http://${setting.place.address}` });
  await page.addInitScript(() => {
    window.__notices = [];
    window.Notification = class extends EventTarget {
      static permission = "granted";
      constructor(title, options) {
        super();
        window.__notices.push({ title, ...options });
      }
      close() { window.__notices.push("closed"); }
    };
    Object.defineProperty(document, "hidden", { get: () => true });
  });
  await page.goto(setting.place.link);
  await page.waitForFunction(() => document.querySelector("#model")?.placeholder !== "");
  const session = await startSession(page, "part two: with a notice");
  const card = await waitForCard(page, "write_file");
  await page.waitForFunction(() => window.__notices.length > 0, null, { timeout: 30000 });
  const [notice] = await page.evaluate(() => window.__notices);
  assertEqual([notice.title, notice.body], ["Windlass", "write_file waits for an answer"], "the notification");
  await card.getByRole("button", { name: "No", exact: true }).click();
  await page.waitForFunction(() => window.__notices.includes("closed"), null, { timeout: 30000 });
  await api(page, "POST", `/api/sessions/${session}/stop`);
  assertEqual(await problemsOf(page), [], "problems");
  return notice.body;
}

export const answers = {
  "notifications": notices,
  "edited arguments": edited,
  "a rule": rule,
  "later": later,
  "stop of a call and restore": stopAndRestore,
  "message now": message,
  "task with files": picture,
  "rename, export, fork, delete": manage,
  "early clicks": early,
  "two pages": two,
  "queue of questions": queue,
};
