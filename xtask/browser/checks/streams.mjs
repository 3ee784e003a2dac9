// Live arguments, and reloads in the middle of a stream.

import { join } from "node:path";

import {
  assert, assertEqual, openPage, problemsOf, readRecord, startSession, waitForCard, waitForState,
} from "../pages.mjs";
import { PROGRAM } from "../script.mjs";

/** The arguments of a call grow on the page while the model writes them. */
async function growing(setting) {
  const page = await openPage(setting);
  const session = await startSession(page, "part growing: write the program");
  const draft = page.locator("#log .call.draft");
  await draft.waitFor({ timeout: 30000 });
  const sizes = [];
  while (await draft.count() > 0 && sizes.length < 500) {
    const size = await draft.evaluate((found) => found.textContent.length).catch(() => null);
    if (size !== null && size !== sizes.at(-1)) sizes.push(size);
    if (sizes.length === 12) await page.screenshot({ path: join(setting.output, "growing.png") });
    await page.waitForTimeout(20);
  }
  const card = await waitForCard(page, "write_file");
  const shown = await card.evaluate((found) => found.textContent);
  assert(shown.includes("src/plan.rs") && shown.includes("step_39"), "the card does not show the file");
  await page.screenshot({ path: join(setting.output, "growing-card.png"), fullPage: true });
  await card.getByRole("button", { name: "Once", exact: true }).click();
  const command = await waitForCard(page, "run_command");
  await command.getByRole("button", { name: "Once", exact: true }).click();
  await page.getByText("line 1").first().waitFor();
  await waitForState(page, session, "ended");
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(setting.output, "growing-ended.png"), fullPage: true });
  assert(sizes.length >= 10, `the arguments grew in ${sizes.length} steps: ${sizes}`);
  assert(sizes.every((size, at) => at === 0 || size > sizes[at - 1]), `the arguments shrank: ${sizes}`);
  await compare(page, session);
  const written = await readFileText(setting, "src/plan.rs");
  assertEqual(written, PROGRAM, "the written file");
  assertEqual(await problemsOf(page), [], "problems");
  return `${sizes.length} steps of live arguments`;
}

async function readFileText(setting, name) {
  const { readFile } = await import("node:fs/promises");
  return readFile(join(setting.place.project, name), "utf8");
}

/** Compares the transcript of a page with the record: each event once, in order, with its whole text. */
export async function compare(page, session) {
  const record = await readRecord(page, session);
  assertEqual(record.map((event) => event.seq), record.map((_, at) => at + 1), "the numbers of the record");
  while (await page.locator("#earlier").isVisible()) await page.locator("#earlier").click();
  // The content of a folded item is made when it is opened.
  await page.evaluate(() => { for (const found of document.querySelectorAll("#log details")) found.open = true; });
  await page.waitForTimeout(100);
  const shown = await page.evaluate(() => [...document.querySelectorAll("#log > li[data-kind]")].map((item) => ({
    seq: Number(item.dataset.seq),
    kind: item.dataset.kind,
    call: item.dataset.call,
    isDraft: item.classList.contains("draft"),
    text: item.querySelector(".text, .thought pre")?.textContent,
    fields: [...item.querySelectorAll(".arguments > .field")].map((field) => [
      field.dataset.name, field.querySelector(".value").textContent,
    ]),
    result: item.querySelector(".result pre")?.textContent,
  })));
  assert(shown.every((item) => !item.isDraft), "a draft is left");
  const numbers = shown.map((item) => item.seq);
  assertEqual(numbers, [...new Set(numbers)].sort((left, right) => left - right), "the order of the items");
  const own = (kind) => shown.filter((item) => item.kind === kind);
  const events = (kind) => record.filter((event) => event.kind === kind && !event.agent);
  for (const kind of ["text", "reasoning"]) {
    assertEqual(own(kind).map((item) => item.text), events(kind).map((event) => event.text), kind);
  }
  assertEqual(own("call").map((item) => item.call), events("call").map((event) => event.call), "calls");
  const results = new Map(events("result").map((event) => [event.call, event.text]));
  for (const item of own("call")) {
    const event = events("call").find((found) => found.call === item.call);
    const fields = Object.entries(event.arguments).map(([name, value]) => [
      name, typeof value === "string" ? value : JSON.stringify(value, null, 2),
    ]);
    assertEqual(item.fields, fields, `arguments of ${item.call}`);
    assertEqual(item.result, results.get(item.call), `result of ${item.call}`);
  }
  for (const kind of ["run_started", "question_closed"]) {
    assertEqual(own(kind).length, events(kind).length, kind);
  }
  return record;
}

/** Reloads a page in the middle of reasoning, text and arguments. A second page stays open. */
async function reload(setting) {
  const page = await openPage(setting);
  const other = await openPage(setting);
  const session = await startSession(page, "part reload: write notes", { autonomy: "auto-edit" });
  await other.evaluate((id) => { location.hash = `session=${id}`; }, session);
  const drafts = [];
  for (const [at, pattern] of [["thought", "word20"], ["text", "word60"], ["text", "word200"], ["call", "word10"]]) {
    await page.locator(`#log .draft.${at}`, { hasText: pattern }).first().waitFor({ timeout: 30000 });
    await page.reload();
    await page.locator("#log .draft").first().waitFor({ timeout: 30000 });
    const draft = await page.locator("#log .draft").last().evaluate((found) => found.textContent);
    drafts.push(draft.length);
  }
  await waitForState(page, session, "ended");
  await page.waitForTimeout(500);
  const record = await compare(page, session);
  await compare(other, session);
  const [left, right] = await Promise.all([page, other].map((one) => one.locator("#log").innerText()));
  assertEqual(left, right, "the transcript of the page that was not reloaded");
  await page.reload();
  await page.locator("#log [data-kind=run_ended], #log [data-kind=text]").last().waitFor();
  await page.waitForTimeout(500);
  await compare(page, session);
  assertEqual([...await problemsOf(page), ...await problemsOf(other)], [], "problems");
  return `4 reloads with drafts of ${drafts} characters, ${record.length} numbered events`;
}

/** The server restarts while a question is open: the page reconnects, and the answer continues the run. */
async function restart(setting) {
  const page = await openPage(setting);
  const session = await startSession(page, "part two: with a restart");
  await waitForCard(page, "write_file");
  await page.locator("#stop").waitFor();
  await setting.place.restart();
  // The page reads the state after its reconnection, and offers what a killed run needs.
  await page.locator("#resume").waitFor({ timeout: 8000 });
  await waitForState(page, session, "suspended", "interrupted", "waiting");
  const card = await waitForCard(page, "write_file");
  await card.getByRole("button", { name: "Once", exact: true }).click();
  await card.waitFor({ state: "detached" });
  // The answer of the last question resumes the run.
  const second = await waitForCard(page, "run_command");
  await second.getByRole("button", { name: "No", exact: true }).click();
  await waitForState(page, session, "ended");
  await page.waitForTimeout(500);
  await compare(page, session);
  const problems = (await problemsOf(page)).filter((text) => !text.includes("Failed to fetch"));
  assertEqual(problems, [], "problems");
  return "";
}

export const streams = { "growing arguments": growing, "reload in a stream": reload, "restart of the server": restart };
