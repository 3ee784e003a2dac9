//! Strings and keys: runs of plain text, and complete escapes between them.

use crate::ErrorKind;
use crate::document::narrow;
use crate::escape::{unescape, whole_hex};
use crate::parser::{Parser, State};
use crate::scan::{plain_run, short_run};

impl Parser {
    /// Fast path of [`read_plain`](Self::read_plain) for fewer than eight bytes, which usually contain plain
    /// text only.
    pub(crate) fn read_short<'a>(&mut self, text: &'a str) -> &'a str {
        let run = short_run(text.as_bytes());
        if run == text.len() {
            self.document.text.push_str(text);
            return "";
        }
        self.read_plain(text)
    }

    /// Parses plain text and complete escapes. Stops after the closing quote, before an escape that the end
    /// of the push cuts, or at the end of the push. Returns the rest of the push.
    pub(crate) fn read_plain<'a>(&mut self, all: &'a str) -> &'a str {
        let mut text = all;
        loop {
            let run = plain_run(all.as_bytes(), text.as_bytes());
            let Some((plain, rest)) = text.split_at_checked(run) else { return "" };
            self.document.text.push_str(plain);
            text = match rest.as_bytes() {
                [] => return "",
                [b'\\', b'u', digits @ ..] => {
                    let Some((character, length)) = whole_hex(digits) else { return self.begin_escape(rest) };
                    self.document.text.push(character);
                    rest.get(length.wrapping_add(2)..).unwrap_or_default()
                }
                [b'\\', escaped, ..] => {
                    let Some(character) = unescape(*escaped) else { return self.begin_escape(rest) };
                    self.document.text.push(char::from(character & 0x7F));
                    rest.get(2..).unwrap_or_default()
                }
                [b'\\'] => return self.begin_escape(rest),
                [b'"', ..] => {
                    self.end_text();
                    return rest.get(1..).unwrap_or_default();
                }
                _ => {
                    self.forgive(ErrorKind::ControlCharacter, rest.len());
                    let (control, after) = rest.split_at_checked(1).unwrap_or_default();
                    self.document.text.push_str(control);
                    after
                }
            };
        }
    }

    fn end_text(&mut self) {
        if let Some(key) = &mut self.key {
            key.end = self.document.text_end();
            self.state = State::Colon;
        } else {
            self.complete_open(narrow(self.document.records.len().saturating_sub(1)));
            self.read_after_value();
        }
    }
}
