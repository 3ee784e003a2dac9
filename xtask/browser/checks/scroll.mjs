// A run with more than 10,000 events: it opens soon, and scrolls without dropping frames.

import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { assert, assertEqual, openPage, problemsOf, readRecord, startSession, waitForState } from "../pages.mjs";
import { LONG_CALLS, longFolder } from "../script.mjs";

const LEAST_FRAMES = 30;
const LEAST_EVENTS = 10000;

/** Scrolls up from a part of the transcript for a second, as fast as a person flicks. Returns the frames per second. */
async function measure([part, speed]) {
  const main = document.querySelector("#main");
  main.scrollTop = (main.scrollHeight - main.clientHeight) * part;
  await new Promise((resolve) => { setTimeout(resolve, 300); });
  const begun = performance.now();
  let last = begun;
  for (let frames = 0; ; frames++) {
    await new Promise((resolve) => { requestAnimationFrame(resolve); });
    const now = performance.now();
    const seconds = (now - begun) / 1000;
    if (seconds >= 1) return Math.round(frames / seconds);
    main.scrollTop -= ((now - last) / 1000) * speed;
    last = now;
  }
}

/** Repeats the turn of a recorded run until there are enough events, with the numbers that a server would give. */
function repeat(record) {
  const begin = record.findIndex((event) => event.turn === 1);
  const end = record.findIndex((event) => event.kind === "turn_ended" && event.turn === 2);
  const turn = record.slice(begin, end).filter((event) => event.turn !== 2);
  const events = record.slice(0, begin);
  for (let number = 1; events.length < LEAST_EVENTS; number++) {
    for (const event of turn) {
      const copy = { ...event };
      if (event.call) copy.call = `${event.call}-${number}`;
      if (event.turn) copy.turn = number;
      events.push(copy);
    }
  }
  events.push(...record.slice(end));
  return events.map((event, at) => ({ ...event, seq: at + 1 }));
}

async function longRun(setting) {
  for (let at = 0; at < LONG_CALLS; at++) mkdirSync(join(setting.place.project, longFolder(at)), { recursive: true });
  const page = await openPage(setting);
  const session = await startSession(page, "part long: list many times", { autonomy: "auto-edit" });
  await waitForState(page, session, "ended", "failed");
  const events = repeat(await readRecord(page, session));
  await page.evaluate(() => { location.hash = ""; });
  await page.route("**/feed?*", (route) => route.fulfill({
    contentType: "text/event-stream",
    body: events.map((event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
  }), { times: 1 });
  const opened = Date.now();
  await page.evaluate((id) => { location.hash = `session=${id}`; }, session);
  await page.getByText("The run is long.").last().waitFor({ timeout: 60000 });
  const opening = Date.now() - opened;
  const count = () => page.evaluate(() => [
    document.querySelectorAll("#log > li").length, Number([...document.querySelectorAll("#log > li")].at(-1).dataset.seq),
  ]);
  const [items, last] = await count();
  assert(last >= LEAST_EVENTS, `the run has ${last} events`);
  // The median of three parts counts, of the best of three attempts. A machine that is busy with other programs has fewer
  // frames, also for a page at rest; the time of the page's own thread for a frame is independent of them.
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async () => (await client.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  const [rates, costs, rests] = [[], [], []];
  for (const part of [1, 0.5, 1]) {
    const attempts = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      rests.push(await page.evaluate(measure, [part, 0]));
      const before = await busy();
      const rate = await page.evaluate(measure, [part, 5000]);
      attempts.push(rate);
      costs.push(Math.round((await busy() - before) / rate));
    }
    rates.push(Math.max(...attempts));
  }
  const rest = Math.max(...rests);
  await page.screenshot({ path: join(setting.output, "long.png") });
  // Everything can be reached: the earlier items come back until the first one is in the document.
  while (await page.locator("#earlier").isVisible()) {
    await page.evaluate(() => { document.querySelector("#main").scrollTop = 0; });
    await page.waitForTimeout(20);
  }
  const numbers = await page.evaluate(() => [...document.querySelectorAll("#log > li")].map((item) => Number(item.dataset.seq)));
  const drawn = events.filter((event) => ["run_started", "text", "call"].includes(event.kind)).map((event) => event.seq);
  assertEqual(drawn.filter((seq) => !numbers.includes(seq)), [], "events that are not drawn");
  assertEqual(numbers, [...new Set(numbers)].sort((left, right) => left - right), "the order of the items");
  const words = `${rates.join(", ")} frames a second (${rest} at rest), ${Math.max(...costs)} ms of the page's thread for a frame`;
  const median = [...rates].sort((left, right) => left - right)[1];
  assert(median >= LEAST_FRAMES, `${words}, ${items} items in the document`);
  assert(Math.max(...costs) < 1000 / LEAST_FRAMES, words);
  assertEqual(await problemsOf(page), [], "problems");
  return `${last} events drawn in ${opening} ms, ${words}`;
}

export const scroll = { "10,000 events": longRun };
