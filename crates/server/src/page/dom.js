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

/** Makes control, invisible and direction characters visible, which could hide what a person approves. */
export function visible(text) {
  return String(text).replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu,
    (found) => `\\u{${found.codePointAt(0).toString(16)}}`,
  );
}

/** Creates a preformatted text whose lines are colored like those of a unified diff. */
export function diffElement(diff) {
  const made = element("pre");
  for (const line of visible(diff).split("\n").slice(0, 2000)) {
    const kind = /^\+(?!\+\+)/.test(line) ? "add" : /^-(?!--)/.test(line) ? "del" : "";
    made.append(element("span", kind, `${line}\n`));
  }
  return made;
}

/** Formats a time of the feed. */
export function clock(milliseconds) {
  const time = new Date(milliseconds);
  const today = new Date().toDateString() === time.toDateString();
  return today ? time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : time.toLocaleDateString();
}

/** Formats tokens and their cost; an unknown cost is not shown as zero. */
export function spent(total) {
  if (!total || total.input + total.output === 0) return "";
  const cached = total.cache_read ? ` (${total.cache_read} cached)` : "";
  const cost = total.cost ? ` · ${(total.cost / 1e6).toFixed(4)}` : "";
  return `${total.input}${cached} in, ${total.output} out${cost}`;
}
