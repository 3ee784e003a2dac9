// What a page shows beside a run: settings and drafts of sessions, the inbox, missing sessions, revoked devices, Markdown.

import { rmSync } from "node:fs";
import { join } from "node:path";

import {
  DESK, PHONE, api, assert, assertEqual, openPage, problemsOf, startSession, waitForCard, waitForState,
} from "../pages.mjs";
import { stopProgram, startProgram } from "../place.mjs";

const press = (card, name) => card.getByRole("button", { name, exact: true }).click();
const open = (page, hash) => page.evaluate((value) => { location.hash = value; }, hash);
const settings = (page) => page.evaluate(() => ({
  model: document.querySelector("#model").value || document.querySelector("#model").placeholder,
  autonomy: document.querySelector("#autonomy").selectedOptions[0].text,
  isMarked: !document.querySelector("#changed").hidden,
}));

/** The composer shows the settings of its session, and keeps a draft for each session. */
async function composer(setting) {
  const page = await openPage(setting);
  rmSync(join(setting.place.project, "edit.txt"), { force: true });
  const first = await startSession(page, "part edit: settings", { autonomy: "auto-edit" });
  await waitForState(page, first, "ended");
  await page.locator("#state", { hasText: "ended" }).waitFor();
  assertEqual(await settings(page), { model: "scripted-1", autonomy: "edit files", isMarked: false }, "the settings of the session");
  await page.locator("#autonomy").selectOption("read-only");
  assertEqual((await settings(page)).isMarked, true, "a changed setting is marked");
  await page.locator("#task").fill("a draft");
  await page.locator("#files").setInputFiles([{ name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("a note\n") }]);
  await page.locator("#attached figure").waitFor();
  await page.locator("#new").click();
  const empty = { task: await page.locator("#task").inputValue(), files: await page.locator("#attached figure").count(), ...await settings(page) };
  assertEqual([empty.task, empty.files, empty.isMarked, empty.model], ["", 0, false, "scripted-1"], "the draft of a new session");
  assert(empty.autonomy !== "read only", "a new session takes the setting of another one");
  await page.locator("#task").fill("another draft");
  await page.goBack();
  await page.locator("#state", { hasText: "ended" }).waitFor();
  assertEqual(await page.locator("#task").inputValue(), "a draft", "the draft of the session");
  assertEqual(await page.locator("#attached figure").count(), 1, "the files of the session");
  await page.screenshot({ path: join(setting.output, "composer.png") });
  // Enter sends, and Shift+Enter begins a line.
  await page.locator("#task").press("Shift+Enter");
  assertEqual(await page.locator("#task").inputValue(), "a draft\n", "Shift+Enter");
  await page.locator("#task").fill("part picture: the next task");
  await page.locator("#task").press("Enter");
  await page.locator("#log [data-kind=run_started]", { hasText: "the next task" }).waitFor();
  await waitForState(page, first, "ended");
  const used = await api(page, "GET", `/api/sessions/${first}`);
  assertEqual([used.model, used.autonomy], ["scripted-1", "read-only"], "the settings of the next run");
  await page.waitForTimeout(400);
  assertEqual(await settings(page), { model: "scripted-1", autonomy: "read only", isMarked: false }, "the settings after the run");
  await page.locator("#new").click();
  assertEqual(await page.locator("#task").inputValue(), "another draft", "the draft of the new session");
  assertEqual(await problemsOf(page), [], "problems");
  return "";
}

/** The inbox has an address, follows answers of other pages, and keeps the words that a person types. */
async function inbox(setting) {
  const page = await openPage(setting);
  const other = await openPage(setting);
  rmSync(join(setting.place.project, "two.txt"), { force: true });
  const first = await startSession(page, "part two: inbox one");
  await waitForCard(page, "two.txt");
  const second = await startSession(page, "part queue: inbox two");
  await waitForCard(page, "a.txt");
  await page.locator("#inbox").click();
  const link = (name) => page.locator("article.card", { hasText: `Session: ${name}` });
  await link("part two: inbox one").waitFor();
  await page.locator("#inbox[aria-current=true]").waitFor();
  assertEqual(await page.locator("#sessions [aria-current=true]").count(), 0, "sessions that are marked beside the inbox");
  await page.reload();
  await link("part two: inbox one").waitFor();
  assertEqual(await page.evaluate(() => location.hash), "#inbox", "the address");
  const words = link("part queue: inbox two").first().getByLabel("Comment for the model");
  await words.fill("half a sen");
  await open(other, `session=${first}`);
  await press(await waitForCard(other, "two.txt"), "No");
  await link("part two: inbox one").filter({ hasText: "two.txt" }).waitFor({ state: "detached", timeout: 10000 });
  await page.keyboard.type("tence");
  assertEqual(await words.inputValue(), "half a sentence", "words that a person types while a card leaves");
  await page.screenshot({ path: join(setting.output, "inbox.png") });
  await link("part queue: inbox two").first().locator("a").click();
  await page.waitForFunction(() => location.hash.startsWith("#session="));
  await page.goBack();
  await link("part queue: inbox two").first().waitFor();
  for (const session of [first, second]) await api(page, "POST", `/api/sessions/${session}/stop`).catch(() => {});
  await page.locator("#title", { hasText: "No open questions" }).waitFor({ timeout: 10000 }).catch(() => {});
  assertEqual(await problemsOf(page), [], "problems");
  return "";
}

/** A session that does not exist, and one that another page deletes, are no lost connections. */
async function missing(setting) {
  const page = await openPage(setting);
  const session = await startSession(page, "part picture: delete me");
  await waitForState(page, session, "ended");
  await page.locator("#title", { hasText: "delete me" }).waitFor();
  const feeds = [];
  page.on("request", (request) => { if (request.url().includes("/feed")) feeds.push(request.url()); });
  await open(page, "session=unknown");
  await page.locator("#title", { hasText: "No such session" }).waitFor({ timeout: 5000 });
  const note = await page.locator("#note").innerText();
  assert(note.includes("does not exist"), `the page says ${note}`);
  await page.waitForTimeout(3000);
  assertEqual(feeds.length, 1, "requests for the feed of a missing session");
  await open(page, `session=${session}`);
  await page.locator("#title", { hasText: "delete me" }).waitFor();
  const other = await openPage(setting);
  await api(other, "DELETE", `/api/sessions/${session}`);
  await page.evaluate(() => document.querySelector("#older").click());
  await page.locator("#title", { hasText: "No such session" }).waitFor({ timeout: 20000 });
  return note;
}

/** A device that another process revokes loses its open feed, and its page asks for a token. */
async function revoked(setting) {
  const { place } = setting;
  const added = await startProgram(place.windlass, [
    "serve", "--listen", "127.0.0.1:0", ...place.provider, "--sandbox", "off", "--add-device", "lost phone",
  ], place.environment, /http:\/\/\S+#token=(\S+)/);
  await stopProgram(added.child);
  const page = await openPage(setting, { link: `http://${place.address}/#token=${added.match[1]}` });
  const own = await openPage(setting);
  rmSync(join(place.project, "two.txt"), { force: true });
  const session = await startSession(page, "part two: watched by a lost phone");
  await waitForCard(page, "two.txt");
  const devices = await api(own, "GET", "/api/devices");
  await own.locator("#devices").click();
  await own.locator("dialog[open]").getByText("this browser", { exact: true }).waitFor();
  await own.screenshot({ path: join(setting.output, "devices.png") });
  await own.getByRole("button", { name: "Revoke lost phone" }).click();
  await page.locator("#login-error", { hasText: "revoked" }).waitFor({ timeout: 10000 });
  assertEqual((await api(own, "GET", "/api/devices")).length, devices.length - 1, "devices after the revocation");
  await own.keyboard.press("Escape");
  await open(own, `session=${session}`);
  await press(await waitForCard(own, "two.txt"), "No");
  await own.locator("#log [data-kind=question_closed]").first().waitFor();
  assertEqual(await page.locator("#log [data-kind=question_closed]").count(), 0, "events after the revocation");
  // Escape does not leave a page without a token.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.waitForTimeout(200);
  assert(await page.locator("#login").evaluate((found) => found.open), "the dialog is closed");
  await page.locator("#token").fill(new URL(place.link).hash.slice("#token=".length));
  await page.locator("#token").press("Enter");
  await page.locator("#log [data-kind=question_closed]").first().waitFor();
  await api(own, "POST", `/api/sessions/${session}/stop`).catch(() => {});
  return "";
}

/** Answers are Markdown, output has its colors, and closed questions name their call. */
async function texts(setting) {
  const page = await openPage(setting);
  const session = await startSession(page, "part texts: show them");
  await press(await waitForCard(page, "printf"), "Once");
  const question = await waitForCard(page, "Which color");
  await question.getByLabel("Answer").fill("green");
  await press(question, "Answer");
  await waitForState(page, session, "ended");
  await page.locator("#log .table .cell").first().waitFor();
  for (const part of ["live", "record"]) {
    if (part === "record") await page.reload();
    await page.locator("#log .table .cell").first().waitFor();
    const closings = await page.locator("#log [data-kind=question_closed]").allInnerTexts();
    assert(closings[0].includes("run_command") && closings[0].includes("printf"), `${part}: ${closings[0]}`);
    assert(closings[1].includes("Which color") && closings[1].includes("green"), `${part}: ${closings[1]}`);
    await page.evaluate(() => { for (const found of document.querySelectorAll("#log details")) found.open = true; });
    const result = page.locator("#log .result", { hasText: "red" }).first();
    assert(!(await result.innerText()).includes("u{1b}"), `${part}: ${await result.innerText()}`);
    assertEqual(await result.locator(".t-1").allInnerTexts(), ["red"], `${part}: colored output`);
  }
  const answer = page.locator("#log .answer", { hasText: "A heading" }).first();
  const shown = await answer.innerText();
  for (const mark of ["# A heading", "**", "| -", "](https"]) assert(!shown.includes(mark), `${mark} in ${shown}`);
  assertEqual(await answer.locator("a").evaluateAll((all) => all.map((link) => link.getAttribute("href"))),
    ["https://example.org/a", "https://example.org/b"], "links");
  assertEqual(await answer.locator(".cell").allInnerTexts(), ["name", "size", "a.txt", "12"], "the cells of the table");
  assertEqual(await answer.locator(".item").count(), 3, "items of lists");
  await answer.scrollIntoViewIfNeeded();
  await page.screenshot({ path: join(setting.output, "texts.png") });
  assertEqual(await problemsOf(page), [], "problems");
  return closingsOf(page);
}

/** A line takes time in proportion to its length, also if none of its marks closes, and its text is its source. */
async function longLines(setting) {
  const page = await openPage(setting);
  const slow = await page.evaluate(async () => {
    const { markdownElement } = await import("/markdown.js");
    const line = (piece, size) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
    const pieces = ["**a ", "*a ", "_a ", "~~a ", "`a", "[a](b ", "https://", "| -", "-", "> ", "- ", "# "];
    const found = [];
    for (const piece of pieces) {
      for (const [head, tail] of [["", ""], ["|", "x|"], ["```", "x y"]]) {
        const took = (size) => {
          const source = head + line(piece, size) + tail;
          const begin = performance.now();
          const made = markdownElement(source);
          const time = performance.now() - begin;
          if (made.textContent !== source) found.push(`${head}${piece}: the text differs`);
          return time;
        };
        took(10_000);
        const [short, long] = [took(50_000), took(200_000)];
        if (long > 50 && long > 8 * short) found.push(`${head}${piece}: ${short.toFixed()} and ${long.toFixed()} ms`);
      }
    }
    return found;
  });
  assertEqual(slow, [], "lines");
  return "12 marks in lines of 200,000 characters";
}

const closingsOf = async (page) => (await page.locator("#log [data-kind=question_closed]").allInnerTexts()).join("; ");

/** The question and the risk of a large card stay in view, and live arguments follow their end. */
async function large(setting) {
  const found = [];
  for (const [name, size] of [["desk", DESK], ["phone", PHONE]]) {
    const page = await openPage(setting, { size });
    const session = await startSession(page, "part growing: a large card");
    const part = page.locator("#log .call.draft pre");
    await page.waitForFunction(() => {
      const pre = document.querySelector("#log .call.draft pre");
      return pre && pre.scrollHeight > pre.clientHeight + 200;
    }, null, { timeout: 60000 });
    const rest = await part.evaluate((pre) => pre.scrollHeight - pre.scrollTop - pre.clientHeight);
    assert(rest < 60, `${name}: the arguments are ${rest} pixels before their end`);
    await part.evaluate((pre) => { pre.scrollTop = 0; });
    await page.waitForTimeout(300);
    assertEqual(await part.evaluate((pre) => pre.scrollTop), 0, `${name}: the place of a person who scrolled`);
    const card = await waitForCard(page, "write_file");
    await page.screenshot({ path: join(setting.output, `large-${name}.png`) });
    const isInView = () => card.evaluate((made) => {
      const view = document.querySelector("#main").getBoundingClientRect();
      return [".card-head h2", ".risk"].every((words) => {
        const box = made.querySelector(words).getBoundingClientRect();
        const hit = document.elementFromPoint(box.left + 2, box.top + box.height / 2);
        return box.top >= view.top - 1 && box.bottom <= view.bottom + 1 && made.querySelector(words).contains(hit);
      });
    });
    for (const share of [1, 0.5, 0]) {
      await card.evaluate((made, share) => {
        const main = document.querySelector("#main");
        const top = made.offsetTop - main.offsetTop;
        main.scrollTop = top + share * Math.max(0, made.offsetHeight - main.clientHeight);
      }, share);
      await page.waitForTimeout(50);
      if (!await isInView()) found.push(`${name} at ${share}`);
    }
    await press(card, "No");
    await api(page, "POST", `/api/sessions/${session}/stop`).catch(() => {});
    await waitForState(page, session, "ended", "stopped");
    if (size === PHONE) {
      const heights = await page.evaluate(() => document.querySelector("#top").getBoundingClientRect().height);
      found.push(...(heights > 90 ? [`the head has ${heights} pixels`] : []));
    }
    assertEqual(await problemsOf(page), [], "problems");
  }
  assertEqual(found, [], "large cards whose head is out of view");
  return "";
}

export const views = {
  "composer of a session": composer,
  "inbox": inbox,
  "missing session": missing,
  "revoked device": revoked,
  "texts of a session": texts,
  "long lines": longLines,
  "large card": large,
};
