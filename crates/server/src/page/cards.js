// Cards of open questions.

import { ApiError, call } from "./api.js";
import { argumentsElement } from "./arguments.js";
import { codeElement, diffElement, languageOf } from "./code.js";
import { button, element, marked, visible } from "./dom.js";

/** Keys and clicks do not answer a card before it was visible for this time. */
const SETTLE_MS = 600;
/** A click that focuses the window does not answer a card. */
const FOCUS_MS = 250;

let focusedAt = -Infinity;
addEventListener("focus", () => { focusedAt = performance.now() + FOCUS_MS; });
document.addEventListener("visibilitychange", () => { focusedAt = performance.now() + SETTLE_MS; });

/** Creates the card of a question. `done` is called with a note at its end, and with the effect of the answer. */
export function questionCard(session, question, card, done) {
  const made = element("article", `card ${card.card?.risk ?? ""}`);
  made.dataset.question = question;
  const settled = performance.now() + SETTLE_MS;
  const path = `/api/sessions/${encodeURIComponent(session)}`;
  const ask = async (work) => {
    if (performance.now() < Math.max(settled, focusedAt)) return undefined;
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError && error.code === "already_answered") {
        done(`The question was answered before${error.by ? ` in ${visible(error.by)}` : ""}.`);
      } else if (error instanceof ApiError && error.code === "not_open") {
        done("The question is not open any more.");
      } else {
        done(error.message, { isOpen: true });
      }
      return undefined;
    }
  };
  const answer = (body) => ask(async () => {
    const effect = await call("POST", `${path}/answer`, { question, ...body });
    const isLater = body.answer === "later";
    const rule = effect?.rule ? `The rule was written to ${visible(effect.rule.file)}.` : "";
    done(rule, { effect, isOpen: isLater, session });
  });
  const propose = () => ask(() => call("GET", `${path}/rule?question=${encodeURIComponent(question)}`));
  if (card.about === "call") callCard(made, card.card, answer, propose);
  else wordsCard(made, card, answer);
  return made;
}

/** Shows the place of a card among the open ones. */
export function setPlace(card, at, count) {
  card.querySelector(".place").textContent = count > 1 ? `${at} of ${count}` : "";
}

function callCard(made, card, answer, propose) {
  const who = card.agents?.length ? element("span", "agents", `${card.agents.map(visible).join(" › ")} asks: `) : null;
  const risk = element("strong", `risk risk-${card.risk}`, `${visible(card.risk)} risk`);
  const title = element("h2", "", who, "May ", element("span", "tool", visible(card.tool)), " run? ", element("span", "quiet place"));
  made.append(element("div", "card-head", title, risk), factsElement(card));
  const changes = (card.changes ?? []).filter(({ diff }) => diff);
  const content = changes.length ? changes.map((change) => diffElement(change.diff, change.path)) : [argumentsElement(card.arguments)];
  made.append(element("div", "card-content", ...content));
  const comment = element("input");
  comment.placeholder = "Comment for the model";
  comment.setAttribute("aria-label", "Comment for the model");
  const words = () => (comment.value.trim() ? { comment: comment.value.trim() } : {});
  const panel = element("div", "panel");
  panel.hidden = true;
  const isEditable = typeof card.arguments === "object" && card.arguments !== null;
  const buttons = element(
    "div",
    "buttons",
    button("Once", "", () => answer({ answer: "once", ...words() })),
    card.can_remember ? button("For this session", "plain", () => answer({ answer: "session", ...words() })) : null,
    button("No", "no", () => answer({ answer: "no", ...words() })),
    isEditable ? button("Edit", "plain", () => showEditor(panel, card, (values) => answer({ answer: "edited", arguments: values, ...words() }))) : null,
    card.can_remember ? button("Make a rule", "plain", () => showRule(panel, propose, (digest) => answer({ answer: "rule", digest, ...words() }))) : null,
    button("Later", "plain", () => answer({ answer: "later" })),
  );
  const scope = card.can_remember ? `“For this session” covers: ${visible(card.scope)}` : "This answer cannot be remembered.";
  made.append(comment, buttons, element("p", "quiet words", scope), panel);
}

function factsElement(card) {
  const facts = element("dl");
  const fact = (name, ...values) => facts.append(element("dt", "", name), element("dd", "", ...values));
  fact("Why", marked(card.reason), element("span", "quiet", ` (rule ${visible(card.rule)}, ${visible(card.source)})`));
  const kinds = new Map();
  for (const effect of card.effects ?? []) kinds.set(effect.kind, [...(kinds.get(effect.kind) ?? []), effect.target]);
  for (const [kind, targets] of kinds) {
    const values = targets.slice(0, 20).map((target) => element("div", "target", marked(target)));
    if (targets.length > 20) values.push(element("div", "quiet", `and ${targets.length - 20} more`));
    fact(visible(kind), ...values);
  }
  for (const words of card.commands ?? []) {
    // Each word is apart, so that a space inside of a word is seen.
    fact("Command", element("code", "command", ...words.map((word) => element("span", "word", marked(word)))));
  }
  for (const path of card.paths ?? []) {
    if (path.path !== path.resolved) fact("File", marked(path.path), " → ", marked(path.resolved));
  }
  if (card.containment) fact("Confined", visible(card.containment));
  for (const gap of card.gaps ?? []) fact("Not enforced", element("span", "warn", visible(gap)));
  return facts;
}

/** Shows a form with the arguments. Texts are edited as they are, other values as JSON. */
function showEditor(panel, card, submit) {
  const fields = Object.entries(card.arguments).map(([name, value]) => {
    const isText = typeof value === "string";
    const input = element("textarea");
    input.value = isText ? value : JSON.stringify(value, null, 2);
    input.rows = Math.min(14, Math.max(1, input.value.split("\n").length));
    input.spellcheck = false;
    input.setAttribute("aria-label", visible(name));
    return { name, isText, input, label: element("label", "quiet", isText ? visible(name) : `${visible(name)} (JSON)`, input) };
  });
  const problem = element("p", "error");
  const run = async () => {
    const values = {};
    for (const { name, isText, input } of fields) {
      try {
        values[name] = isText ? input.value : JSON.parse(input.value);
      } catch (error) {
        problem.textContent = `${visible(name)}: ${error.message}`;
        input.focus();
        return;
      }
    }
    await submit(values);
  };
  const buttons = element("div", "buttons", button("Run with these arguments", "", run), cancel(panel));
  panel.replaceChildren(element("h3", "", "Edit the arguments"), ...fields.map(({ label }) => label), problem, buttons);
  panel.hidden = false;
  panel.scrollIntoView({ block: "nearest" });
  fields[0]?.input.focus();
}

/** Shows the proposed rule with its examples. */
async function showRule(panel, propose, submit) {
  const rule = await propose();
  if (!rule) return;
  const examples = (title, texts, classes) =>
    texts.length ? element("div", "", element("div", "quiet", title), element("ul", classes, ...texts.map((text) => element("li", "", marked(text))))) : null;
  const children = [
    element("h3", "", "Make a rule"),
    element("p", "quiet", "It is written to ", element("code", "", visible(rule.file))),
    codeElement(rule.text, languageOf("toml")),
    examples("It allows", rule.allows, "allows"),
    examples("It does not cover", rule.refuses, "refuses"),
    element("div", "buttons", button("Write the rule and allow", "", () => submit(rule.digest)), cancel(panel)),
  ];
  panel.replaceChildren(...children.filter(Boolean));
  panel.hidden = false;
  panel.scrollIntoView({ block: "nearest" });
}

function cancel(panel) {
  return button("Cancel", "plain", () => {
    panel.hidden = true;
    panel.replaceChildren();
  });
}

function wordsCard(made, card, answer) {
  const title = card.about === "guidance" ? "How should the run continue? " : "The model asks ";
  made.append(element("h2", "", title, element("span", "quiet place")), element("p", "words", marked(card.text)));
  const words = element("input");
  words.setAttribute("aria-label", "Answer");
  words.placeholder = "Your answer";
  const send = () => (words.value.trim() ? answer({ answer: "words", text: words.value }) : words.focus());
  words.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) send();
  });
  const suggestions = (card.suggestions ?? []).map((text) => button(visible(text), "plain", () => answer({ answer: "words", text })));
  const buttons = element("div", "buttons", button("Answer", "", send));
  if (card.about === "guidance") {
    buttons.append(button("Continue", "plain", () => answer({ answer: "words", text: "yes" })));
    buttons.append(button("Stop here", "no", () => answer({ answer: "words", text: "no" })));
  }
  buttons.append(button("Later", "plain", () => answer({ answer: "later" })));
  if (suggestions.length) made.append(element("div", "buttons suggestions", ...suggestions));
  made.append(words, buttons);
}
