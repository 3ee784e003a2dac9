// Cards of open questions.

import { ApiError, call } from "./api.js";
import { button, diffElement, element, visible } from "./dom.js";

/** Keys and clicks do not answer a card before it was visible for this time. */
const SETTLE_MS = 600;

/** Creates the card of a question. `place` is its number among the open ones, `done` is called with a note at its end. */
export function questionCard(session, question, card, place, done) {
  const made = element("article", `card ${card.card?.risk ?? ""}`);
  made.dataset.question = question;
  const shown = performance.now();
  const answer = async (body) => {
    if (performance.now() - shown < SETTLE_MS) return;
    try {
      await call("POST", `/api/sessions/${encodeURIComponent(session)}/answer`, { question, ...body });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === "already_answered") return done(`answered before${error.by ? ` in ${error.by}` : ""}`);
      if (error.code === "not_open") return done("the question is not open any more");
      done(error.message, true);
    }
  };
  if (card.about === "call") callCard(made, card.card, place, answer);
  else wordsCard(made, card, place, answer);
  return made;
}

function callCard(made, card, place, answer) {
  const who = card.agents?.length ? `${card.agents.join(" › ")} asks: ` : "";
  made.append(element("h2", "", `${who}may ${visible(card.tool)} run? `, element("span", "quiet", place)));
  const facts = element("dl");
  const fact = (name, ...values) => facts.append(element("dt", "", name), element("dd", "", ...values));
  fact("Risk", element("strong", card.risk, card.risk));
  fact("Why", `${visible(card.reason)} (${card.rule}, ${card.source})`);
  for (const effect of card.effects ?? []) fact(effect.kind, visible(effect.target));
  for (const words of card.commands ?? []) fact("Command", element("code", "", visible(words.join(" "))));
  for (const path of card.paths ?? []) {
    fact("File", path.path === path.resolved ? visible(path.path) : `${visible(path.path)} → ${visible(path.resolved)}`);
  }
  if (card.containment) fact("Confined", visible(card.containment));
  for (const gap of card.gaps ?? []) fact("Not enforced", visible(gap));
  made.append(facts);
  for (const change of card.changes ?? []) made.append(element("div", "quiet", visible(change.path)), diffElement(change.diff));
  if (!card.changes?.length) {
    const text = typeof card.arguments === "string" ? card.arguments : JSON.stringify(card.arguments, null, 2);
    made.append(element("pre", "", visible(text)));
  }
  const comment = element("input");
  comment.placeholder = "Comment for the model";
  comment.setAttribute("aria-label", "Comment for the model");
  const words = () => (comment.value.trim() ? { comment: comment.value.trim() } : {});
  const buttons = element(
    "div",
    "buttons",
    comment,
    button("Once", "", () => answer({ answer: "once", ...words() })),
    card.can_remember ? button("For this session", "plain", () => answer({ answer: "session", ...words() })) : null,
    button("No", "no", () => answer({ answer: "no", ...words() })),
    button("Later", "plain", () => answer({ answer: "later" })),
  );
  made.append(buttons);
  const scope = card.can_remember ? `For this session covers: ${visible(card.scope)}` : "This answer cannot be remembered.";
  made.append(element("p", "quiet", scope));
}

function wordsCard(made, card, place, answer) {
  made.append(element("h2", "", "A question ", element("span", "quiet", place)), element("p", "text", visible(card.text)));
  const words = element("input");
  words.setAttribute("aria-label", "Answer");
  const buttons = element("div", "buttons", words, button("Answer", "", () => answer({ answer: "words", text: words.value })));
  for (const suggestion of card.suggestions ?? []) {
    buttons.append(button(visible(suggestion), "plain", () => answer({ answer: "words", text: suggestion })));
  }
  if (card.about === "guidance") {
    buttons.append(button("Continue", "plain", () => answer({ answer: "words", text: "yes" })));
    buttons.append(button("Stop here", "no", () => answer({ answer: "words", text: "no" })));
  }
  buttons.append(button("Later", "plain", () => answer({ answer: "later" })));
  made.append(buttons);
}
