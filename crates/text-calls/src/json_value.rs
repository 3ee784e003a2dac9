//! Incremental search for the end of a JSON value, aware of strings (RULES X6).

use memchr::memchr2;

/// Finds the end of one JSON value. It does not validate the value; the assembler does.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ValueScan {
    state: State,
    depth: u32,
    escaped: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Before the value.
    #[default]
    Start,
    /// Inside of brackets, outside of strings.
    Brackets,
    /// Inside of a string.
    String,
    /// In a number or a word.
    Word,
}

impl ValueScan {
    /// Scans the next text. Returns the number of bytes of `text` that belong to the value once the value has
    /// ended.
    pub(crate) fn push(&mut self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if self.state == State::String {
                at = self.string(bytes, at);
                if self.state == State::Start {
                    return Some(at);
                }
                continue;
            }
            match byte {
                b'"' if self.state != State::Word => self.state = State::String,
                b'{' | b'[' if self.state != State::Word => {
                    self.state = State::Brackets;
                    self.depth = self.depth.saturating_add(1);
                }
                b'}' | b']' if self.state == State::Brackets => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at.saturating_add(1));
                    }
                }
                b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' | b'<' if self.state == State::Word => {
                    return Some(at);
                }
                _ if self.state == State::Start => self.state = State::Word,
                _ => {}
            }
            at = at.saturating_add(1);
        }
        None
    }

    /// Scans inside a string and returns the offset at which it stopped.
    fn string(&mut self, bytes: &[u8], at: usize) -> usize {
        let mut at = at;
        if self.escaped {
            self.escaped = false;
            return at.saturating_add(1);
        }
        let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) else {
            return bytes.len();
        };
        at = at.saturating_add(found);
        if bytes.get(at) == Some(&b'\\') {
            self.escaped = true;
        } else {
            self.state = if self.depth == 0 { State::Start } else { State::Brackets };
        }
        at.saturating_add(1)
    }
}
