"use strict";

const SAMPLE = JSON.stringify({
  path: "src/main.rs",
  edits: [
    { line: 12, old: "let x = 1;", new: "let x = 2; // größer 😀" },
    { line: 40, old: "\tpanic!()", new: "\treturn Err(Error::new(\"no such file\"))" },
  ],
  dry_run: false,
  note: null,
  ratio: 0.125,
}, null, 2);
const STATES = ["incomplete", "complete", "malformed"];
const DEEPEST_INDENT = 4;

const element = (id) => document.getElementById(id);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the exports of the module in the page. */
async function instantiate() {
  const bytes = Uint8Array.from(atob(element("module").textContent), (letter) => letter.charCodeAt(0));
  const { instance } = await WebAssembly.instantiate(bytes, {});
  return instance.exports;
}

/** Copies a delta into the module and parses it. A view is made for each delta, because memory can grow. */
function push(parser, delta) {
  new Uint8Array(parser.memory.buffer, parser.input(), delta.length).set(delta);
  return parser.push(delta.length);
}

/** Returns the visible nodes as rows of depth, key, kind, completeness and text. */
function rows(parser) {
  const length = parser.render();
  const view = new Uint8Array(parser.memory.buffer, parser.output(), length);
  return JSON.parse(decoder.decode(view));
}

function span(className, text) {
  const span = document.createElement("span");
  span.className = className;
  span.textContent = text;
  return span;
}

function drawRow([depth, key, kind, completeness, text]) {
  const item = document.createElement("li");
  item.classList.add(completeness, `depth-${Math.min(depth, DEEPEST_INDENT)}`);
  const isContainer = kind === "object" || kind === "array";
  const shown = isContainer ? `${text} ${kind === "object" ? "members" : "elements"}` : text;
  item.append(span("key", key === "" ? "root" : key), span("kind", ` ${kind} `), span("text", shown));
  if (completeness === "growing" && kind === "string") {
    item.append(span("kind", "▌"));
  }
  return item;
}

function draw(parser, state, share) {
  element("tree").replaceChildren(...rows(parser).map(drawRow));
  element("state").textContent = STATES[state];
  element("state").className = STATES[state];
  element("progress").value = share;
}

let playing = 0;

async function play(parser) {
  const own = ++playing;
  const bytes = encoder.encode(element("text").value);
  parser.restart();
  for (let at = 0, state = 0; at < bytes.length && state < 2;) {
    const end = Math.min(bytes.length, at + 1 + Math.floor(Math.random() * 12));
    state = push(parser, bytes.subarray(at, end));
    at = end;
    draw(parser, state, at / bytes.length);
    await new Promise((resume) => setTimeout(resume, Number(element("pause").value)));
    if (own !== playing) {
      return;
    }
  }
}

async function start() {
  const parser = await instantiate();
  const showPause = () => { element("pause-value").textContent = `${element("pause").value} ms`; };
  element("text").value = SAMPLE;
  element("pause").addEventListener("input", showPause);
  element("play").addEventListener("click", () => play(parser));
  showPause();
  await play(parser);
}

start();
