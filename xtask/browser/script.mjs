// The answers of the scripted provider. The task of a session contains the name of its part.

import { PAYLOADS } from "./payloads.mjs";

const call = (name, values) => ({ call: { name, arguments: values } });
const done = (result) => ({ steps: [call("attempt_completion", { result })] });

/** A picture with one pixel, in base64. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Lines of a program, so that live arguments have something to color. */
export const PROGRAM = Array.from({ length: 40 }, (_, at) => [
  `// Step ${at} of the "plan".`,
  `pub fn step_${at}(input: &str) -> Option<usize> {`,
  `    let found = input.find("${at}")?;`,
  `    Some(found + ${at})`,
  "}",
  "",
].join("\n")).join("\n");

const WORDS = Array.from({ length: 240 }, (_, at) => `word${at}${at % 20 === 19 ? "\n\n" : ""}`).join(" ");

/** A text that takes some seconds to arrive. */
export const LONG_TEXT = `# A long text\n\nwith *marks* and ümläuts 🦀 and \`code\`.\n\n${WORDS}`;

/** A text with each part of Markdown that the page formats. */
export const MARKDOWN = [
  "## A heading", "", "It has **bold**, *italic* and `code` words, [a link](https://example.org/a), https://example.org/b.", "",
  "- one", "- two", "1. three", "", "| name | size |", "| --- | ---: |", "| a.txt | 12 |", "",
  "[never](javascript:alert(1)) and [never](data:text/html,x)", "", "```rust", "fn main() {}", "```", "",
].join("\n");

/** Calls of the turn that the check of long runs repeats. */
export const LONG_CALLS = 100;

/** The folder that a call of the long run lists. Equal calls would be taken for a loop. */
export const longFolder = (at) => `long/${at}`;

const long = {
  piece: 4000,
  steps: [
    { text: "This turn lists the folders." },
    ...Array.from({ length: LONG_CALLS }, (_, at) => call("list_files", { path: longFolder(at) })),
  ],
};

/** Returns a payload as the name of a file: without the separators of folders. */
export const fileName = (payload) => payload.replace(/[/\\\n]/g, "|");

const attacks = [
  {
    piece: 4000,
    steps: [
      { reasoning: PAYLOADS.join("\n") },
      { text: PAYLOADS.join("\n\n") },
      ...PAYLOADS.map((payload, at) => call("write_file", { path: `${at}-${fileName(payload)}`, content: `${payload}\n` })),
    ],
  },
  { piece: 4000, steps: PAYLOADS.map((payload, at) => call("read_file", { path: `${at}-${fileName(payload)}` })) },
  { piece: 4000, steps: PAYLOADS.map((payload) => call("read_file", { path: `missing ${payload}` })) },
  { piece: 4000, steps: [call("list_files", { path: "." }), call("ask_followup_question", {
    question: PAYLOADS.join("\n"), suggestions: PAYLOADS.slice(0, 4),
  })] },
  { piece: 4000, steps: PAYLOADS.slice(0, 12).map((payload) => call("run_command", { command: `echo '${payload.replaceAll("'", "")}'` })) },
  { piece: 4000, steps: [call("attempt_completion", { result: PAYLOADS.join("\n") })] },
];

/** Two parallel calls, and a last text. */
const twoFiles = (name) => [
  {
    steps: [
      { text: "I write both files." },
      call("write_file", { path: `${name}-a.txt`, content: "a\n" }),
      call("write_file", { path: `${name}-b.txt`, content: "b\n" }),
    ],
  },
  { steps: [{ text: "One file is written." }] },
];

export const script = {
  turns: [{ steps: [{ text: "The task has no part in the script." }] }],
  parts: {
    "part growing": [
      {
        delay_ms: 12,
        piece: 16,
        steps: [
          { reasoning: "The user wants a program. I write it in one file." },
          { text: "I write the program now." },
          call("write_file", { path: "src/plan.rs", content: PROGRAM }),
        ],
      },
      { steps: [call("run_command", { command: "for i in 1 2 3 4 5; do echo line $i; sleep 0.1; done" })] },
      done("The program is written."),
    ],
    "part reload": [
      {
        delay_ms: 25,
        piece: 12,
        steps: [
          { reasoning: LONG_TEXT.slice(0, 600) },
          { text: LONG_TEXT },
          call("write_file", { path: "notes.md", content: LONG_TEXT.slice(0, 900) }),
        ],
      },
      { delay_ms: 25, steps: [call("read_file", { path: "notes.md" })] },
      { delay_ms: 25, piece: 12, steps: [{ text: "It is read." }, call("attempt_completion", { result: LONG_TEXT.slice(0, 500) })] },
    ],
    "part two": [
      { steps: [call("write_file", { path: "two.txt", content: "one\ntwo\n" })] },
      { steps: [call("run_command", { command: "rm -rf build && echo removed" })] },
      done("Both are done."),
    ],
    "part queue": [
      {
        steps: [
          call("write_file", { path: "a.txt", content: "a\n" }),
          call("write_file", { path: "b.txt", content: "b\n" }),
          call("write_file", { path: "c.txt", content: "c\n" }),
        ],
      },
      done("The files are written."),
    ],
    "part edit": [{ steps: [call("write_file", { path: "edit.txt", content: "from the model\n" })] }, done("The file is written.")],
    "part options": [{ steps: [call("write_file", { path: "options.txt", content: "from the model\n" })] }, done("The file is written.")],
    "part rule": [{ steps: [call("write_file", { path: "notes/one.txt", content: "a note\n" })] }, done("The note is written.")],
    "part stop": [
      { steps: [call("run_command", { command: "echo begins; sleep 600" })] },
      { steps: [call("write_file", { path: "restored.txt", content: "new\n" })] },
      done("It was stopped, and the file is written."),
    ],
    "part chat": twoFiles("chat"),
    "part agui": twoFiles("agui"),
    "part texts": [
      { steps: [call("run_command", { command: "printf '\\033[31mred\\033[0m plain\\n'" })] },
      { steps: [call("ask_followup_question", { question: "Which color is it?" })] },
      { steps: [{ text: MARKDOWN }] },
    ],
    "part picture": [{ steps: [{ text: "It is one pixel." }] }],
    "part zed": [
      {
        steps: [
          { reasoning: "The editor wants a change." },
          { text: "I change the file." },
          call("write_file", { path: "editor.txt", content: "old\nnew\n" }),
        ],
      },
      done("The file is changed."),
    ],
    "part cancel": [{ steps: [call("run_command", { command: "echo begins; sleep 600" })] }, done("It is over.")],
    "part attack": attacks,
    "part long": [long, done("The run is long.")],
  },
};
