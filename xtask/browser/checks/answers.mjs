// Answers of questions: from one page, and from two at once.

import { existsSync } from "node:fs";
import { join } from "node:path";

import { assert, assertEqual, openPage, problemsOf, startSession, waitForCard, waitForState } from "../pages.mjs";
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
  await Promise.all([press(cards[0], "No"), press(cards[1], "Once")]);
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

export const answers = { "early clicks": early, "two pages": two, "queue of questions": queue };
