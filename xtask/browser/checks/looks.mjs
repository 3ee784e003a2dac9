// Size, first paint, phone and dark mode.

import { rmSync } from "node:fs";
import { join } from "node:path";

import { DESK, PHONE, assert, openPage, problemsOf, startSession, waitForCard, waitForState } from "../pages.mjs";

const MOST_BYTES = 300000;
const MOST_PAINT_MS = 200;

/** The size of all files, and the first paint of the best of five visits on this machine. */
async function paint(setting) {
  const page = await openPage(setting);
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async () => (await client.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  const [paints, costs] = [[], []];
  let bytes = 0;
  for (let visit = 0; visit < 5; visit++) {
    await page.reload({ waitUntil: "networkidle" }).catch(() => {});
    // A visit may begin a new process, which counts from zero.
    costs.push(await busy());
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity));
    bytes = await page.evaluate(() => performance.getEntries()
      .filter(({ entryType, name }) => ["navigation", "resource"].includes(entryType) && !new URL(name).pathname.startsWith("/api/"))
      .reduce((sum, entry) => sum + entry.decodedBodySize, 0));
  }
  const best = Math.round(Math.min(...paints));
  assert(bytes > 0 && bytes < MOST_BYTES, `the page has ${bytes} bytes`);
  const words = `first paint after ${paints.map(Math.round)} ms, ${costs.map(Math.round)} ms of the page's thread for a visit`;
  assert(best < MOST_PAINT_MS, words);
  return `${bytes} bytes, ${words}`;
}

/** Returns the elements that reach over the right edge of the view. */
function findOverflow() {
  const width = document.documentElement.clientWidth;
  return [...document.querySelectorAll("body *")].filter((found) => {
    const box = found.getBoundingClientRect();
    const style = getComputedStyle(found);
    if (box.width === 0 || style.visibility === "hidden" || box.right <= width + 1) return false;
    // A part of an element that scrolls by itself is no overflow of the page.
    for (let above = found.parentElement; above; above = above.parentElement) {
      if (getComputedStyle(above).overflowX !== "visible") return false;
    }
    return true;
  }).map((found) => `${found.tagName}.${found.className} at ${Math.round(found.getBoundingClientRect().right)}`);
}

/** Texts whose contrast with their background is too small. */
function findPale() {
  const parse = (color) => color.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
  const light = ([red, green, blue]) => {
    const part = (value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
  };
  const pale = [];
  for (const found of document.querySelectorAll("body *")) {
    const hasText = [...found.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!hasText || found.getBoundingClientRect().width === 0 || found.disabled) continue;
    const fore = light(parse(getComputedStyle(found).color));
    let above = found;
    while (above && (parse(getComputedStyle(above).backgroundColor)[3] ?? 1) === 0) above = above.parentElement;
    const back = light(parse(above ? getComputedStyle(above).backgroundColor : "rgb(255,255,255)"));
    const ratio = (Math.max(fore, back) + 0.05) / (Math.min(fore, back) + 0.05);
    if (ratio < 4.5) pale.push(`${found.tagName}.${found.className} ${ratio.toFixed(1)}: ${found.textContent.slice(0, 30)}`);
  }
  return [...new Set(pale)];
}

/** Returns the fields whose text does not fit, and the badges that are cut off. */
function findCut() {
  const context = document.createElement("canvas").getContext("2d");
  const cut = [];
  for (const found of document.querySelectorAll("input:not([type=file]), select")) {
    const style = getComputedStyle(found);
    if (found.getBoundingClientRect().width === 0 || style.visibility === "hidden") continue;
    const isList = found.tagName === "SELECT";
    const text = isList ? found.selectedOptions[0]?.text ?? "" : found.value || found.placeholder;
    context.font = `${style.fontSize} ${style.fontFamily}`;
    // The arrow of a list takes about the height of its letters.
    const arrow = isList ? parseFloat(style.fontSize) : 0;
    const room = found.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - arrow;
    const needed = context.measureText(text).width;
    if (needed > room + 1) cut.push(`${found.id || found.ariaLabel}: ${text} needs ${Math.round(needed)} of ${Math.round(room)}`);
  }
  for (const badge of document.querySelectorAll(".badge")) {
    const box = badge.getBoundingClientRect();
    for (let above = badge.parentElement; above && box.width > 0; above = above.parentElement) {
      const isClipped = getComputedStyle(above).overflowX !== "visible" && box.right > above.getBoundingClientRect().right + 1;
      if (isClipped) cut.push(`the badge ${badge.textContent} in ${above.className}`);
    }
  }
  return cut;
}

/** Draws a card and a finished run in one size and scheme, and checks edges, contrast, cut texts and touch targets. */
async function look(setting, name, size, dark) {
  rmSync(join(setting.place.project, "two.txt"), { force: true });
  const page = await openPage(setting, { size, dark });
  const found = [];
  const check = async (part) => {
    await page.screenshot({ path: join(setting.output, `${name}-${part}.png`) });
    found.push(...(await page.evaluate(findCut)).map((text) => `${part}: cut: ${text}`));
    found.push(...(await page.evaluate(findOverflow)).map((text) => `${part}: over the edge: ${text}`));
    found.push(...(await page.evaluate(findPale)).map((text) => `${part}: contrast ${text}`));
  };
  await check("empty");
  const session = await startSession(page, `part two: look at ${name}`);
  for (const part of ["first card", "second card"]) {
    const card = await waitForCard(page);
    await check(part.replace(" ", "-"));
    const small = await card.locator("button").evaluateAll((all, least) => all
      .filter((one) => one.getBoundingClientRect().height < least).map((one) => one.textContent), size === PHONE ? 40 : 24);
    assert(small.length === 0, `small buttons: ${small}`);
    await card.getByRole("button", { name: "Once", exact: true }).click();
    await card.waitFor({ state: "detached" });
  }
  await waitForState(page, session, "ended");
  await page.waitForTimeout(300);
  await check("ended");
  if (size === PHONE) {
    await page.click("#menu");
    await check("sessions");
  }
  found.push(...await problemsOf(page));
  assert(found.length === 0, found.join("\n"));
  return `pictures ${name}-*.png`;
}

export const looks = {
  "paint and size": paint,
  "desk": (setting) => look(setting, "desk", DESK, false),
  "desk in dark mode": (setting) => look(setting, "desk-dark", DESK, true),
  "phone": (setting) => look(setting, "phone", PHONE, false),
  "phone in dark mode": (setting) => look(setting, "phone-dark", PHONE, true),
};
