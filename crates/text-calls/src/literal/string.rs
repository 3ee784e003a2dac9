//! Strings in a literal: single, double and triple quotes, and the marked strings of Gemma.

use crate::escape::escape_into;

/// Gemma's mark for both ends of a string.
const MARK: &str = "<|\"|>";

/// The progress of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StringProgress {
    No,
    Yes,
    /// It ended before this character, which belongs to the following text.
    Before,
    /// It contains an escape that cannot be decoded.
    Broken,
}

/// The prefix of a Python string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// No prefix, or `u`.
    None,
    /// `r`: a backslash is literal.
    Raw,
    /// `b`: bytes, which have no escapes by code point or by name.
    Bytes,
    /// `rb` or `br`.
    RawBytes,
}

impl Prefix {
    /// Returns the prefix that a word denotes. `None` for `f`, whose string would need an interpreter, and
    /// for every other word.
    pub(super) fn from_word(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "" | "u" => Self::None,
            "r" => Self::Raw,
            "b" => Self::Bytes,
            "rb" | "br" => Self::RawBytes,
            _ => return None,
        })
    }
}

/// A string that is being converted to JSON.
#[derive(Debug)]
pub(super) struct QuotedString {
    close: Close,
    /// Text of uncertain meaning: the beginning of an escape or of the closing mark.
    held: String,
    /// True if the opening quote is still ambiguous: `"` may become `""` or `"""`.
    opening: bool,
    /// The Python prefix that determines the escapes; `None` for a string of relaxed JSON.
    prefix: Option<Prefix>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Close {
    Quote(char),
    Triple(char),
    Mark,
}

impl QuotedString {
    /// Starts a string if `c` opens one.
    pub(super) fn open(c: char) -> Option<Self> {
        match c {
            '"' | '\'' => {
                Some(Self { close: Close::Quote(c), held: String::new(), opening: true, prefix: None })
            }
            '<' => Some(Self { close: Close::Mark, held: "<".to_owned(), opening: true, prefix: None }),
            _ => None,
        }
    }

    /// Makes it a Python string with this prefix.
    pub(super) fn with_prefix(mut self, prefix: Prefix) -> Self {
        self.prefix = Some(prefix);
        self
    }

    /// Processes the next character and returns whether the string has ended. Also writes the closing quote
    /// of the JSON string.
    pub(super) fn push(&mut self, c: char, json: &mut String) -> StringProgress {
        let over = match self.close {
            Close::Mark => progress(self.read_escape(c, json)),
            Close::Quote(quote) => self.quote(quote, c, json),
            Close::Triple(quote) => self.triple(quote, c, json),
        };
        if matches!(over, StringProgress::Yes | StringProgress::Before) {
            json.push('"');
        }
        over
    }

    fn read_escape(&mut self, c: char, json: &mut String) -> bool {
        self.held.push(c);
        if self.held == MARK {
            self.held.clear();
            return !std::mem::replace(&mut self.opening, false);
        }
        // An incomplete mark is text; the characters after its first one may start another mark.
        while !MARK.starts_with(self.held.as_str()) {
            let first = self.held.remove(0);
            escape_into(json, first.encode_utf8(&mut [0; 4]));
            self.opening = false;
        }
        false
    }

    fn quote(&mut self, quote: char, c: char, json: &mut String) -> StringProgress {
        if std::mem::replace(&mut self.opening, false) && c == quote {
            // The string is empty, or this is the second of three quotes.
            self.held.push(c);
            return StringProgress::No;
        }
        if self.held.starts_with(quote) {
            self.held.clear();
            if c != quote {
                return StringProgress::Before;
            }
            self.close = Close::Triple(quote);
            return StringProgress::No;
        }
        if self.held.is_empty() {
            return progress(self.plain(quote, c, json));
        }
        self.escape(quote, c, json)
    }

    fn plain(&mut self, quote: char, c: char, json: &mut String) -> bool {
        match c {
            '\\' => self.held.push(c),
            c if c == quote => return true,
            c => escape_into(json, c.encode_utf8(&mut [0; 4])),
        }
        false
    }

    fn triple(&mut self, quote: char, c: char, json: &mut String) -> StringProgress {
        if self.held.starts_with('\\') {
            return self.escape(quote, c, json);
        }
        if c == quote {
            self.held.push(c);
            if self.held.len() == 3 {
                self.held.clear();
                return StringProgress::Yes;
            }
            return StringProgress::No;
        }
        escape_into(json, &std::mem::take(&mut self.held));
        progress(self.plain(quote, c, json))
    }

    /// Processes the next character of an escape.
    fn escape(&mut self, quote: char, c: char, json: &mut String) -> StringProgress {
        if matches!(self.prefix, Some(Prefix::Raw | Prefix::RawBytes)) {
            // In a raw string the backslash stays, and a quote after it does not end the string.
            let held = std::mem::take(&mut self.held);
            escape_into(json, &held);
            escape_into(json, c.encode_utf8(&mut [0; 4]));
            return StringProgress::No;
        }
        if self.is_octal() && !matches!(c, '0'..='7') {
            // The character is not part of the escape; process it as plain text.
            self.end_octal(json);
            return match self.close {
                Close::Triple(_) => self.triple(quote, c, json),
                _ => progress(self.plain(quote, c, json)),
            };
        }
        self.held.push(c);
        if self.is_octal() {
            if self.held.len() == 4 {
                self.end_octal(json);
            }
            return StringProgress::No;
        }
        let has_code_points = self.prefix != Some(Prefix::Bytes);
        let digits = match self.held.as_bytes().get(1) {
            Some(b'x') => 2,
            Some(b'u') if has_code_points => 4,
            Some(b'U') if has_code_points => 8,
            // `\N{...}` needs the table of Unicode character names, which this crate does not have.
            Some(b'N') if self.prefix == Some(Prefix::None) => return StringProgress::Broken,
            _ => 0,
        };
        let bad_digit = self.held.len() > 2 && !c.is_ascii_hexdigit();
        if self.held.len() < 2_usize.saturating_add(digits) && !bad_digit {
            return StringProgress::No;
        }
        let held = std::mem::take(&mut self.held);
        if bad_digit {
            // Python rejects the string; relaxed JSON keeps the text as written.
            if self.prefix.is_some() {
                return StringProgress::Broken;
            }
            escape_into(json, &held);
            return StringProgress::No;
        }
        match self.prefix {
            Some(prefix) => write_python_escape(&held, prefix, json),
            None => write_escape(&held, json),
        }
        StringProgress::No
    }

    /// Returns whether the current escape is a Python octal escape of one to three digits.
    fn is_octal(&self) -> bool {
        self.prefix.is_some() && matches!(self.held.as_bytes().get(1), Some(b'0'..=b'7'))
    }

    fn end_octal(&mut self, json: &mut String) {
        let held = std::mem::take(&mut self.held);
        let code = held.get(1..).and_then(|digits| u32::from_str_radix(digits, 8).ok());
        let c = code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
        escape_into(json, c.encode_utf8(&mut [0; 4]));
    }
}

/// Writes the value of a Python escape. An unknown escape stays as written.
fn write_python_escape(held: &str, prefix: Prefix, json: &mut String) {
    match held.chars().nth(1) {
        Some('a') => escape_into(json, "\u{7}"),
        Some('v') => escape_into(json, "\u{b}"),
        Some('/') => escape_into(json, held),
        Some('u' | 'U') if prefix == Prefix::Bytes => escape_into(json, held),
        _ => write_escape(held, json),
    }
}

fn progress(over: bool) -> StringProgress {
    if over { StringProgress::Yes } else { StringProgress::No }
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
        // JSON encodes surrogate pairs in the same way, so they are copied.
        'u' => json.push_str(held),
        'x' | 'U' => {
            let code = held.get(2..).and_then(|digits| u32::from_str_radix(digits, 16).ok());
            let c = code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
            escape_into(json, c.encode_utf8(&mut [0; 4]));
        }
        _ => escape_into(json, held),
    }
}
