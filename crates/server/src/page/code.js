// Colored source text, diffs and terminal output. All are text nodes; the text of an element is its source.

import { element, visible } from "./dom.js";

const C_WORDS =
  "abstract as async await bool break case catch char class const continue crate def default delete do double dyn else " +
  "enum export extends extern false final float fn for from func function go if impl implements import in int interface " +
  "let long loop match mod module move mut namespace new nil null package private protected pub public ref return self " +
  "Self static string struct super switch this throw trait true try type typeof u8 u32 u64 usize i32 i64 undefined union " +
  "unsafe use using var virtual void where while yield";
const HASH_WORDS =
  "and as assert async await begin break case class continue def del do done elif else end esac except exit export false " +
  "False fi finally for from function global if import in is lambda local module nil None not or pass raise require " +
  "rescue return self set source then true True try unless until while with yield";
const SQL_WORDS =
  "add all alter and as asc begin between by case commit create delete desc distinct drop else end exists from group " +
  "having in index inner insert into is join left like limit not null on or order outer primary references select set " +
  "table then union unique update values view when where";

const C = { comment: "//", block: ["/*", "*/"], quotes: "\"`", words: C_WORDS };
const HASH = { comment: "#", quotes: "\"'", words: HASH_WORDS };
const LANGUAGES = new Map([
  ...["rs", "js", "mjs", "ts", "tsx", "jsx", "java", "c", "h", "cc", "cpp", "hpp", "cs", "go", "kt", "swift", "php", "scala", "dart",
    "zig", "css", "scss", "proto", "javascript", "typescript", "rust"].map((name) => [name, C]),
  ...["py", "rb", "sh", "bash", "zsh", "yml", "yaml", "toml", "pl", "r", "ex", "exs", "dockerfile", "makefile", "tf", "python",
    "ruby", "shell", "ini", "conf"].map((name) => [name, HASH]),
  ...["sql", "lua", "hs"].map((name) => [name, { comment: "--", quotes: "\"'", words: SQL_WORDS }]),
  ["json", { quotes: "\"", words: "true false null" }],
  ...["html", "xml", "svg", "vue"].map((name) => [name, { block: ["<!--", "-->"], quotes: "\"", words: "" }]),
]);

/** Returns the language of a path or of a name, or null. */
export function languageOf(path) {
  const name = String(path ?? "").toLowerCase().split(/[/\\]/).pop();
  return LANGUAGES.get(name.split(".").pop()) ?? null;
}

const quoteForPattern = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

function patternOf(language) {
  if (language.pattern) return language.pattern;
  const parts = [];
  if (language.comment) parts.push(`(?<comment>${quoteForPattern(language.comment)}.*)`);
  if (language.block) parts.push(`(?<block>${quoteForPattern(language.block[0])})`);
  const quotes = [...language.quotes].map((quote) => `${quote}(?:[^${quote}\\\\]|\\\\.)*${quote}?`);
  parts.push(`(?<string>${quotes.join("|")})`, "(?<number>\\b\\d[\\w.]*)", "(?<word>[A-Za-z_][\\w]*)");
  language.set = new Set(language.words.split(" "));
  language.pattern = new RegExp(parts.join("|"), "g");
  return language.pattern;
}

/** Appends a line as colored text. Returns true if a block comment continues in the next line. */
export function paintLine(target, line, language, isInBlock) {
  let at = 0;
  const add = (classes, end) => {
    if (end > at) target.append(classes ? element("span", classes, visible(line.slice(at, end))) : visible(line.slice(at, end)));
    at = end;
  };
  const closeBlock = () => {
    const end = line.indexOf(language.block[1], at);
    add("c-note", end < 0 ? line.length : end + language.block[1].length);
    return end < 0;
  };
  if (isInBlock && closeBlock()) return true;
  const pattern = patternOf(language);
  pattern.lastIndex = at;
  for (let found = pattern.exec(line); found; found = pattern.exec(line)) {
    const { comment, block, string, number, word } = found.groups;
    if (word && !language.set.has(word)) continue;
    add("", found.index);
    if (block) {
      if (closeBlock()) return true;
      pattern.lastIndex = at;
    } else {
      add(comment ? "c-note" : string ? "c-text" : number ? "c-number" : "c-word", found.index + found[0].length);
    }
  }
  add("", line.length);
  return false;
}

/** A source text that grows at its end. Each whole line is colored once. */
export class CodeView {
  constructor(target, language) {
    this.target = target;
    this.language = language;
    this.isInBlock = false;
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
    this.tail.data = visible(this.rest);
  }

  /** Colors the last line, which has no end. */
  finish() {
    const line = document.createDocumentFragment();
    this.paint(line, this.rest);
    this.target.insertBefore(line, this.tail);
    this.rest = "";
    this.tail.data = "";
  }

  paint(target, line) {
    if (this.language && line.length < 2000) this.isInBlock = paintLine(target, line, this.language, this.isInBlock);
    else target.append(visible(line));
  }
}

/** Creates a preformatted source text. */
export function codeElement(text, language, classes = "") {
  const made = element("pre", classes);
  const view = new CodeView(made, language);
  view.append(text);
  view.finish();
  return made;
}

/** Lines of a diff that are shown before a person requests the rest. */
const DIFF_LINES = 600;

/** Creates a preformatted diff. Its lines are colored by their first character, and as source text. */
function diffLines(lines, language) {
  const made = element("pre", "diff");
  const draw = (from, to) => {
    for (const line of lines.slice(from, to)) {
      const kind = line.startsWith("+") ? "add" : line.startsWith("-") ? "del" : line.startsWith("@@") ? "hunk" : "";
      const row = element("span", kind);
      if (language && kind !== "hunk" && line.length < 1000) {
        row.append(line.slice(0, 1));
        paintLine(row, line.slice(1), language, false);
      } else {
        row.append(visible(line));
      }
      row.append("\n");
      made.append(row);
    }
  };
  draw(0, DIFF_LINES);
  if (lines.length > DIFF_LINES) {
    const more = element("button", "plain", `${lines.length - DIFF_LINES} more lines`);
    more.type = "button";
    more.addEventListener("click", () => {
      more.remove();
      draw(DIFF_LINES);
    });
    made.append(more);
  }
  return made;
}

/** Splits a unified diff into its files: their paths, numbers of lines that were added and removed, and lines. */
export function splitDiff(diff) {
  const files = [];
  let file = null;
  let isInHunk = false;
  const begin = () => {
    file = { path: "", added: 0, removed: 0, lines: [] };
    files.push(file);
    isInHunk = false;
  };
  for (const line of String(diff).replace(/\n$/, "").split("\n")) {
    if (line.startsWith("diff --git ") || (line.startsWith("--- ") && (!file || isInHunk || file.path))) begin();
    if (!file) begin();
    if (line.startsWith("@@")) isInHunk = true;
    const path = line.match(/^(?:---|\+\+\+) (?:[ab]\/)?(.*?)(?:\t.*)?$/);
    if (!isInHunk && path) {
      if (path[1] !== "/dev/null") file.path = path[1];
      continue;
    }
    if (line.startsWith("diff --git ") || line.startsWith("index ")) continue;
    file.lines.push(line);
    if (line.startsWith("+")) file.added += 1;
    if (line.startsWith("-")) file.removed += 1;
  }
  return files.filter((one) => one.path || one.lines.some((line) => line.trim()));
}

/** Creates the view of a unified diff: one part for each file. */
export function diffElement(diff, path = "") {
  const made = element("div", "files");
  for (const file of splitDiff(diff)) {
    const name = file.path || path;
    const counts = [element("span", "ok", `+${file.added}`), " ", element("span", "error", `−${file.removed}`)];
    made.append(element("div", "file", element("code", "", visible(name)), " ", ...counts), diffLines(file.lines, languageOf(name)));
  }
  return made;
}

// CSI and OSC sequences of terminals, and other two-character escapes.
const ESCAPES = /\u001b\[([0-9;:?<=>]*)[ -/]*([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]/g;

// The tools for commands write control characters as escapes, so that their results cannot control a terminal.
const WRITTEN = /\\u\{1b\}(?=\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\n]{0,300}?\\u\{7\})/g;
const WRITTEN_END = /(\u001b\][^\n\u001b]{0,300}?)\\u\{7\}/g;

/** Output of a terminal: colors are shown, other control sequences are left out, a carriage return begins a line again. */
export class TerminalView {
  constructor(target, mostCharacters) {
    this.target = target;
    this.most = mostCharacters;
    this.size = 0;
    this.style = "";
    this.rest = "";
  }

  append(text) {
    let whole = (this.rest + text).replace(WRITTEN, "\u001b").replace(WRITTEN_END, "$1\u0007");
    // A written escape that is not complete waits for the next part.
    const part = whole.match(/\\(?:u(?:\{(?:1(?:b(?:\}[^]?)?)?)?)?)?$/)?.[0] ?? "";
    whole = whole.slice(0, whole.length - part.length);
    // A sequence that is not complete waits for the next part.
    const begin = whole.lastIndexOf("\u001b");
    this.rest = begin >= 0 && whole.length - begin < 64 && !/^\u001b(?:\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\u0007]*\u0007|[@-Z\\-_])/.test(whole.slice(begin)) ? whole.slice(begin) : "";
    if (this.rest) whole = whole.slice(0, begin);
    this.rest += part;
    let at = 0;
    for (const found of whole.matchAll(ESCAPES)) {
      this.add(whole.slice(at, found.index));
      if (found[2] === "m") this.setStyle(found[1]);
      at = found.index + found[0].length;
    }
    this.add(whole.slice(at));
    while (this.size > this.most && this.target.firstChild) {
      this.size -= this.target.firstChild.textContent.length;
      this.target.firstChild.remove();
    }
  }

  /** Shows a sequence that was not completed. */
  finish() {
    this.add(this.rest);
    this.rest = "";
  }

  add(text) {
    const plain = text.replace(/\r\n/g, "\n").replace(/[^\n\r]*\r(?!\n|$)/g, "").replace(/\r/g, "");
    for (const part of plain.match(/[^]{1,4000}/gu) ?? []) {
      const shown = visible(part);
      this.size += shown.length;
      this.target.append(this.style ? element("span", this.style, shown) : shown);
    }
  }

  setStyle(codes) {
    for (const code of (codes || "0").split(/[;:]/).map(Number)) {
      if (code === 0) this.style = "";
      if (code === 1) this.style = `${this.style} t-bold`;
      if (code === 39) this.style = this.style.replace(/t-\d/, "");
      const color = code >= 30 && code <= 37 ? code - 30 : code >= 90 && code <= 97 ? code - 90 : -1;
      if (color >= 0) this.style = `${this.style.replace(/t-\d/, "")} t-${color}`.trim();
    }
  }
}

/** Creates the view of the whole output of a command. */
export function terminalElement(text) {
  const made = element("pre", "terminal");
  const view = new TerminalView(made, Infinity);
  view.append(text);
  view.finish();
  return made;
}
