// The arguments of a call as fields, also while the model still writes them.

import { CodeView, codeElement, languageOf } from "./code.js";
import { element, marked, visible } from "./dom.js";

const ESCAPED = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", "\"": "\"", "\\": "\\", "/": "/" };

/** Reads a JSON object that arrives in parts, and reports the texts of its fields as they grow. */
export class FieldReader {
  /** `onText(name, text)` gets the parts of a text, `onValue(name, source)` the parts of another value. */
  constructor(onText, onValue) {
    this.onText = onText;
    this.onValue = onValue;
    this.state = "start";
    this.name = "";
    this.depth = 0;
    this.isInText = false;
    this.held = "";
  }

  push(text) {
    const source = this.held + text;
    this.held = "";
    let part = "";
    let at = 0;
    const flush = () => {
      if (part && this.state === "text") this.onText(this.name, part);
      if (part && this.state === "value") this.onValue(this.name, part);
      part = "";
    };
    while (at < source.length) {
      const found = source[at];
      if ((this.state === "text" || this.state === "name") && found === "\\") {
        const length = source[at + 1] === "u" ? 6 : 2;
        if (at + length > source.length) {
          this.held = source.slice(at);
          break;
        }
        const code = source.slice(at + 2, at + 6);
        const value = length === 6 ? String.fromCharCode(Number.parseInt(code, 16) || 0xfffd) : ESCAPED[source[at + 1]] ?? source[at + 1];
        if (this.state === "name") this.name += value;
        else part += value;
        at += length;
        continue;
      }
      at += 1;
      if (this.state === "start") {
        if (found === "{") this.state = "between";
      } else if (this.state === "between") {
        if (found === "\"") {
          this.state = "name";
          this.name = "";
        }
      } else if (this.state === "name") {
        if (found === "\"") this.state = "colon";
        else this.name += found;
      } else if (this.state === "colon") {
        if (found === "\"") {
          this.state = "text";
          this.onText(this.name, "");
        } else if (!/[\s:]/.test(found)) {
          this.state = "value";
          this.depth = 0;
          this.isInText = false;
          at -= 1;
        }
      } else if (this.state === "text") {
        if (found === "\"") {
          flush();
          this.state = "between";
        } else {
          part += found;
        }
      } else if (this.state === "value") {
        if (this.isInText) {
          part += found;
          if (found === "\\" && at < source.length) {
            part += source[at];
            at += 1;
          } else if (found === "\"") {
            this.isInText = false;
          }
        } else if (this.depth === 0 && (found === "," || found === "}")) {
          flush();
          this.state = "between";
        } else {
          if (found === "\"") this.isInText = true;
          if (found === "{" || found === "[") this.depth += 1;
          if (found === "}" || found === "]") this.depth -= 1;
          part += found;
        }
      }
    }
    flush();
  }
}

/** Fields whose text is the name of a file. */
const PATHS = new Set(["path", "file_path", "file", "notebook_path"]);
/** Fields whose text is a command. */
const COMMANDS = new Set(["command", "script"]);

/** Creates a field with its name. A short text is on the line of the name. */
function fieldElement(name) {
  const value = element("span", "value");
  const made = element("div", "field", element("span", "quiet", `${visible(name)} `), value);
  made.dataset.name = name;
  return { made, value };
}

/** Arguments that a model writes: each field appears when it begins, and grows. */
export class LiveArguments {
  constructor(target) {
    this.target = target;
    this.fields = new Map();
    this.path = "";
    this.reader = new FieldReader((name, text) => this.grow(name, text, true), (name, text) => this.grow(name, text, false));
  }

  push(text) {
    this.reader.push(text);
  }

  /** Returns true if the end of a field contains a text. */
  shows(text) {
    return [...this.fields.values()].some((field) => field.text.slice(-2 * text.length - 400).includes(text.trim()));
  }

  grow(name, text, isText) {
    let field = this.fields.get(name);
    if (!field) {
      field = { ...fieldElement(name), text: "", view: null };
      this.fields.set(name, field);
      this.target.append(field.made);
    }
    field.text += text;
    if (PATHS.has(name)) this.path = field.text;
    if (!field.view && isText && field.text.includes("\n")) {
      const code = element("pre", "value");
      field.value.replaceWith(code);
      field.value = code;
      field.view = new CodeView(code, COMMANDS.has(name) ? languageOf("sh") : languageOf(this.path));
      field.view.append(field.text);
    } else if (field.view) {
      field.view.append(text);
    } else {
      field.value.textContent = visible(field.text);
    }
  }
}

/** Creates the fields of whole arguments. */
export function argumentsElement(values) {
  const made = element("div", "arguments");
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    made.append(codeElement(typeof values === "string" ? values : JSON.stringify(values, null, 2), null, "value"));
    return made;
  }
  const path = Object.entries(values).find(([name]) => PATHS.has(name))?.[1];
  for (const [name, value] of Object.entries(values)) {
    const field = fieldElement(name);
    if (typeof value === "string" && !value.includes("\n")) {
      field.value.append(marked(value));
    } else {
      const language = typeof value !== "string" ? languageOf("json") : COMMANDS.has(name) ? languageOf("sh") : languageOf(path);
      const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
      if (text.includes("\n")) field.value.replaceWith(codeElement(text, language, "value"));
      else field.value.append(visible(text));
    }
    made.append(field.made);
  }
  return made;
}

const BRIEF = ["path", "file_path", "command", "query", "pattern", "url", "task", "question", "result", "mode", "agent"];

/** Returns the most telling argument of a call, for its first line. */
export function brief(values) {
  if (typeof values === "string") return visible(values.slice(0, 120));
  const name = BRIEF.find((name) => typeof values?.[name] === "string");
  return name ? visible(values[name].slice(0, 120)).replace(/\s+/g, " ") : "";
}
