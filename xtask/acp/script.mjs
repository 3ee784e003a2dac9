// The answers of the scripted provider. The task of a session contains the name of its part.

const call = (name, values) => ({ call: { name, arguments: values } });
const turn = (...steps) => ({ steps });
const done = (result) => turn(call("attempt_completion", { result }));
const write = (path, content) => turn(call("write_file", { path, content }));
const run = (command) => turn(call("run_command", { command }));
const ask = (question, suggestions) => turn(call("ask_followup_question", { question, ...(suggestions ? { suggestions } : {}) }));

/** A picture with one pixel, in base64. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const WORDS = Array.from({ length: 400 }, (_, at) => `word${at}`).join(" ");

export const script = {
  turns: [turn({ text: "The task has no part in the script." })],
  parts: {
    "part kinds": [
      write("kinds/a.txt", "a\n"),
      write("kinds/b.txt", "b\n"),
      write("kinds/c.txt", "c\n"),
      run("touch rejected-once"),
      run("touch rejected"),
      write("kinds/d.txt", "d\n"),
      run("touch rejected"),
      done("Four files are written."),
      run("touch rejected"),
      done("It is still rejected."),
    ],
    "part diff": [
      turn({ reasoning: "A new file, then a change." }, { text: "I write." }, call("write_file", { path: "diff.txt", content: "one\ntwo\n" })),
      write("diff.txt", "one\nthree\n"),
      done("The file is changed."),
    ],
    "part plan": [
      turn(call("update_todo_list", { todos: [{ text: "read", state: "in_progress" }, { text: "write", state: "pending" }] })),
      turn(call("update_todo_list", { todos: [{ text: "read", state: "completed" }, { text: "write", state: "in_progress" }] })),
      done("The plan is made."),
    ],
    "part content": [turn({ text: "I have seen all of it." })],
    "part slow": [{ delay_ms: 20, piece: 4, steps: [{ text: WORDS }] }, turn({ text: "I am here again." })],
    "part command": [run("echo begins; sleep 600"), done("It is over.")],
    "part mode": [write("mode.txt", "without a question\n"), done("It is written.")],
    "part open": [ask("Which color?"), turn({ text: "I take it." }, call("attempt_completion", { result: "It is painted." }))],
    "part form": [
      ask("Which color?"),
      ask("Which size?", ["small", "large"]),
      ask("Which name?"),
      turn({ text: "Thank you." }, call("attempt_completion", { result: "All is known." })),
    ],
    "part stdio": [turn(call("mcp__My_files__read_file", { path: "fact.txt" })), done("It is read.")],
    "part http": [turn(call("mcp__remote__read_file", { path: "fact.txt" })), done("It is read.")],
    "part unsaved": [
      turn(call("read_file", { path: "unsaved.txt" })),
      turn(call("edit_file", { path: "unsaved.txt", old_text: "typed", new_text: "edited" })),
      done("It is edited."),
    ],
    "part terminal": [run("echo shown; exit 3"), done("It has run.")],
    "part acpx": [write("acpx.txt", "from acpx\n"), run("echo a command ran"), done("acpx has its file.")],
  },
};
