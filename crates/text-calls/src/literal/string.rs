//! Strings of a literal: single, double and tripled quotes, and the marked strings of Gemma.

use crate::escape::escape_into;

/// Gemma's mark for both ends of a string.
const MARK: &str = "<|\"|>";

/// Whether a string is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    No,
    Yes,
    /// It was over before this character, which belongs to what follows.
    Before,
}

/// A string on its way into JSON.
#[derive(Debug)]
pub(super) struct Quoted {
    close: Close,
    /// Read, but not yet known to be text: the beginning of an escape or of the closing mark.
    held: String,
    /// Whether the opening quote is still to be judged: `"` may become `""` or `"""`.
    opening: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Close {
    Quote(char),
    Triple(char),
    Mark,
}

impl Quoted {
    /// The string that this character begins.
    pub(super) fn open(c: char) -> Option<Self> {
        match c {
            '"' | '\'' => Some(Self { close: Close::Quote(c), held: String::new(), opening: true }),
            '<' => Some(Self { close: Close::Mark, held: "<".to_owned(), opening: true }),
            _ => None,
        }
    }

    /// Takes the next character and says whether the string is over. The quote that ends it in JSON is
    /// written too.
    pub(super) fn push(&mut self, c: char, json: &mut String) -> Over {
        let over = match self.close {
            Close::Mark => said(self.marked(c, json)),
            Close::Quote(quote) => self.quote(quote, c, json),
            Close::Triple(quote) => said(self.triple(quote, c, json)),
        };
        if over != Over::No {
            json.push('"');
        }
        over
    }

    fn marked(&mut self, c: char, json: &mut String) -> bool {
        self.held.push(c);
        if self.held == MARK {
            self.held.clear();
            return !std::mem::replace(&mut self.opening, false);
        }
        // A mark that breaks off is text; what follows it may begin a new one.
        while !MARK.starts_with(self.held.as_str()) {
            let first = self.held.remove(0);
            escape_into(json, first.encode_utf8(&mut [0; 4]));
            self.opening = false;
        }
        false
    }

    fn quote(&mut self, quote: char, c: char, json: &mut String) -> Over {
        if std::mem::replace(&mut self.opening, false) && c == quote {
            // Empty, or the second of three.
            self.held.push(c);
            return Over::No;
        }
        if self.held.starts_with(quote) {
            self.held.clear();
            if c != quote {
                return Over::Before;
            }
            self.close = Close::Triple(quote);
            return Over::No;
        }
        if self.held.is_empty() {
            return said(self.plain(quote, c, json));
        }
        self.escape(c, json);
        Over::No
    }

    fn plain(&mut self, quote: char, c: char, json: &mut String) -> bool {
        match c {
            '\\' => self.held.push(c),
            c if c == quote => return true,
            c => escape_into(json, c.encode_utf8(&mut [0; 4])),
        }
        false
    }

    fn triple(&mut self, quote: char, c: char, json: &mut String) -> bool {
        if self.held.starts_with('\\') {
            self.escape(c, json);
        } else if c == quote {
            self.held.push(c);
            if self.held.len() == 3 {
                self.held.clear();
                return true;
            }
        } else {
            escape_into(json, &std::mem::take(&mut self.held));
            return self.plain(quote, c, json);
        }
        false
    }

    /// The next character of an escape.
    fn escape(&mut self, c: char, json: &mut String) {
        self.held.push(c);
        let digits = match self.held.as_bytes().get(1) {
            Some(b'x') => 2,
            Some(b'u') => 4,
            Some(b'U') => 8,
            _ => 0,
        };
        let bad_digit = self.held.len() > 2 && !c.is_ascii_hexdigit();
        if self.held.len() < 2_usize.saturating_add(digits) && !bad_digit {
            return;
        }
        let held = std::mem::take(&mut self.held);
        if bad_digit {
            escape_into(json, &held);
            return;
        }
        write_escape(&held, json);
    }
}

fn said(over: bool) -> Over {
    if over { Over::Yes } else { Over::No }
}

fn write_escape(held: &str, json: &mut String) {
    let kind = held.chars().nth(1).unwrap_or('\\');
    match kind {
        'n' | 't' | 'r' | 'b' | 'f' => {
            json.push('\\');
            json.push(kind);
        }
        '\\' | '"' | '\'' | '/' => escape_into(json, kind.encode_utf8(&mut [0; 4])),
        '\n' => {}
        // Surrogate pairs stay pairs: JSON writes them the same way.
        'u' => json.push_str(held),
        'x' | 'U' => {
            let code = held.get(2..).and_then(|digits| u32::from_str_radix(digits, 16).ok());
            let c = code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
            escape_into(json, c.encode_utf8(&mut [0; 4]));
        }
        _ => escape_into(json, held),
    }
}
