// Markdown as elements. The marks stay in the document and are hidden, so the text of an element is its source.

import { languageOf, paintLine } from "./code.js";
import { element, visible } from "./dom.js";

// Each pattern ends at the first mark that could close it, so a line takes time in proportion to its length.
const INLINE = new RegExp([
  /(?<code>`[^`\n]+`)/,
  /(?<bold>\*\*(?=[^\s*])(?:[^*\n]|\*(?!\*))*(?<=\S)\*\*)/,
  /(?<link>\[[^[\]\n]+\]\([^()\s]+\))/,
  /(?<strike>~~(?=\S)[^~\n]+~~)/,
  /(?<italic>(?<![*\w])\*(?=[^\s*])[^*\n]*[^\s*]\*(?![*\w])|(?<![_\w])_(?=[^\s_])[^_\n]*[^\s_]_(?![_\w]))/,
  /(?<bare>https?:\/\/[^\s<>()"'`]+[^\s<>()"'`.,;:!?])/,
].map(({ source }) => source).join("|"), "g");

/** Depth of marks inside of marks. */
const MOST_DEPTH = 4;

/** Appends nodes one by one: a call with a hundred thousand arguments fails. */
function fill(target, nodes) {
  for (const node of nodes) target.append(node);
  return target;
}

const mark = (text) => element("span", "mark", visible(text));

/** Returns the address of a link if a click on it is safe, or null. */
function safeAddress(text) {
  try {
    const url = new URL(text);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

function linkElement(label, address) {
  const link = element("a", "", label);
  link.href = address;
  link.target = "_blank";
  link.rel = "noopener noreferrer nofollow";
  // The label of a link can name another address.
  link.title = visible(address);
  return link;
}

/** Returns the nodes of a text with marks inside of a line. */
function inline(text, depth = 0) {
  if (depth > MOST_DEPTH) return [visible(text)];
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    const [source] = found;
    const { code, bold, link, strike, italic } = found.groups;
    if (found.index > at) nodes.push(visible(text.slice(at, found.index)));
    at = found.index + source.length;
    if (code) {
      nodes.push(element("code", "", mark("`"), visible(source.slice(1, -1)), mark("`")));
    } else if (bold || strike) {
      nodes.push(fill(element(bold ? "strong" : "s"), [mark(source.slice(0, 2)), ...inline(source.slice(2, -2), depth + 1), mark(source.slice(-2))]));
    } else if (italic) {
      nodes.push(fill(element("em"), [mark(source[0]), ...inline(source.slice(1, -1), depth + 1), mark(source[0])]));
    } else if (link) {
      const end = source.indexOf("](");
      const address = safeAddress(source.slice(end + 2, -1));
      // A link without a safe address stays as its source.
      if (address) nodes.push(mark("["), linkElement(visible(source.slice(1, end)), address), mark(source.slice(end)));
      else nodes.push(visible(source));
    } else {
      const address = safeAddress(source);
      nodes.push(address ? linkElement(visible(source), address) : visible(source));
    }
  }
  if (at < text.length) nodes.push(visible(text.slice(at)));
  return nodes;
}

/** Creates the row of a table. A row of dashes is hidden. */
function rowElement(line) {
  const body = line.replace(/\n$/, "");
  const end = line.slice(body.length);
  if (/^[\s:|-]*$/.test(body) && body.includes("-")) return element("span", "mark", line);
  const cells = body.split(/(?<!\\)(\|)/).filter((part) => part !== "");
  const nodes = cells.map((part) => (part === "|" ? mark(part) : fill(element("span", part.trim() ? "cell" : "mark"), inline(part))));
  return fill(element("span", "row"), [...nodes, mark(end)]);
}

/** Creates the element of a line outside of fences and tables. */
function lineElement(line) {
  const heading = line.match(/^(#{1,6})\s+(?=\S)/);
  if (heading) {
    const made = element("strong", `heading h${Math.min(heading[1].length, 3)}`, mark(heading[0]));
    return fill(made, inline(line.slice(heading[0].length)));
  }
  const item = line.match(/^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(?:\[([ xX])\]\s+)?(?=\S)/);
  if (item) {
    const [whole, indent, , number, box] = item;
    const made = element("span", `item ${number ? "numbered" : "dotted"} depth${Math.min(3, Math.floor(indent.length / 2))}`);
    const shown = box ? (box === " " ? "☐" : "☑") : number ? `${number}.` : "•";
    made.dataset.mark = shown;
    made.append(mark(whole));
    return fill(made, inline(line.slice(whole.length)));
  }
  const quote = line.match(/^\s*>\s?/);
  if (quote) return fill(element("span", "quote", mark(quote[0])), inline(line.slice(quote[0].length)));
  if (/^\s*([-*_])(?:\s*\1){2,}\s*$/.test(line)) return element("span", "rule", mark(line));
  return null;
}

/** A Markdown text that grows at its end. Each whole line is formatted once. */
export class MarkdownView {
  constructor(target) {
    this.target = target;
    this.fence = null;
    this.table = null;
    this.tail = document.createTextNode("");
    this.rest = "";
    target.append(this.tail);
  }

  append(text) {
    this.rest += text;
    const end = this.rest.lastIndexOf("\n") + 1;
    if (end > 0) {
      const lines = document.createDocumentFragment();
      for (const line of this.rest.slice(0, end).split(/(?<=\n)/)) this.paint(lines, line);
      this.target.insertBefore(lines, this.tail);
      this.rest = this.rest.slice(end);
    }
    if (end > 0) this.tail.data = visible(this.rest);
    else this.tail.appendData(visible(text));
  }

  finish() {
    const line = document.createDocumentFragment();
    this.paint(line, this.rest);
    this.target.insertBefore(line, this.tail);
    this.rest = "";
    this.tail.data = "";
  }

  paint(target, line) {
    const trimmed = line.trim();
    const fence = trimmed.match(/^(```+|~~~+)\s*([\w.+-]*)$/);
    if (this.fence) {
      const isEnd = fence && fence[1].startsWith(this.fence.mark) && !fence[2];
      const row = element("span", isEnd ? "fence mark" : "code-line");
      if (isEnd || !this.fence.language) row.append(visible(line));
      else this.fence.isInBlock = paintLine(row, line, this.fence.language, this.fence.isInBlock);
      target.append(row);
      if (isEnd) this.fence = null;
      return;
    }
    if (fence) {
      this.table = null;
      this.fence = { mark: fence[1], language: languageOf(fence[2]), isInBlock: false };
      target.append(element("span", "fence mark", visible(line)));
      return;
    }
    if (trimmed.length > 1 && trimmed.startsWith("|") && trimmed.endsWith("|")) {
      if (!this.table) {
        this.table = element("span", "table");
        target.append(this.table);
      }
      this.table.append(rowElement(line));
      return;
    }
    this.table = null;
    const made = lineElement(line);
    fill(target, made ? [made] : inline(line));
  }
}

/** Creates the view of a whole Markdown text. */
export function markdownElement(text) {
  const made = element("div", "text");
  const view = new MarkdownView(made);
  view.append(text);
  view.finish();
  return made;
}
