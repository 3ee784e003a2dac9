// Elements from texts. A text is always set as text, never as markup.

/** Creates an element with classes, and children that are elements or texts. */
export function element(name, classes = "", ...children) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Creates a button that calls a function, and is disabled while it works. */
export function button(label, classes, act) {
  const made = element("button", classes, label);
  made.type = "button";
  made.addEventListener("click", async () => {
    made.disabled = true;
    try {
      await act();
    } finally {
      made.disabled = false;
    }
  });
  return made;
}

/** Creates an element that a person opens. Its content is made when it is opened for the first time. */
export function folded(classes, summary, fill) {
  const made = element("details", classes, summary);
  made.addEventListener("toggle", () => {
    if (made.open && !made.dataset.filled) {
      made.dataset.filled = "true";
      fill(made);
    }
  });
  return made;
}

// A variation selector or a joiner after a picture character belongs to an emoji, and stays.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e01ef}]|(?<!\p{Extended_Pictographic})\ufe0f|(?<!\p{Extended_Pictographic}\ufe0f?)\u200d/gu;

const escape = (found) => `\\u{${found.codePointAt(0).toString(16)}}`;

/** Makes control, invisible and direction characters visible, which could hide what a person approves. */
export function visible(text) {
  return String(text).replace(HIDDEN, escape);
}

const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const SCRIPTS = ["Latin", "Cyrillic", "Greek", "Armenian", "Cherokee", "Coptic", "Lisu"].map((name) => ({
  name,
  pattern: new RegExp(`\\p{Script=${name}}`, "u"),
}));

/** Creates text in which hidden characters, and words that mix scripts that look alike, are marked. */
export function marked(text) {
  const made = document.createDocumentFragment();
  const whole = String(text);
  const marks = [...whole.matchAll(HIDDEN)].map((found) => [found.index, found[0], escape(found[0]), "hidden character"]);
  for (const word of whole.matchAll(WORD)) {
    const scripts = SCRIPTS.filter(({ pattern }) => pattern.test(word[0])).map(({ name }) => name);
    if (scripts.length > 1) marks.push([word.index, word[0], word[0], `mixes ${scripts.join(" and ")} letters`]);
  }
  marks.sort((left, right) => left[0] - right[0]);
  let at = 0;
  for (const [start, source, shown, title] of marks) {
    if (start < at) continue;
    made.append(whole.slice(at, start));
    const mark = element("mark", "odd", visible(shown));
    mark.title = title;
    made.append(mark);
    at = start + source.length;
  }
  made.append(whole.slice(at));
  return made;
}

/** Formats a time of the feed. */
export function clock(milliseconds) {
  const time = new Date(milliseconds);
  const today = new Date().toDateString() === time.toDateString();
  return today ? time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : time.toLocaleDateString();
}

/** Formats a number of things. */
export function count(number, name) {
  return `${number} ${name}${number === 1 ? "" : "s"}`;
}

const thousands = (count) => (count < 10000 ? String(count) : `${(count / 1000).toFixed(count < 100000 ? 1 : 0)}k`);

/** Formats a cost in millionths; an unknown cost is not shown as zero. */
export function price(cost) {
  return cost ? (cost / 1e6).toFixed(cost < 1e6 ? 4 : 2) : "";
}

/** Formats tokens and their cost. */
export function spent(total) {
  // Numbers that no provider reported are absent.
  if (!total?.input && !total?.output) return "";
  const cached = total.cache_read ? ` (${thousands(total.cache_read)} cached)` : "";
  const cost = total.cost ? ` · ${price(total.cost)}` : "";
  return `${thousands(total.input ?? 0)}${cached} in, ${thousands(total.output ?? 0)} out${cost}`;
}
