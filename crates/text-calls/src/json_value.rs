//! Finds the end of a JSON value in text that is still arriving, string-aware (RULES X6).

use memchr::memchr2;

/// Where one JSON value ends. It does not judge the value; that is for the assembler.
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
    /// A number or a word.
    Word,
}

impl ValueScan {
    /// Reads on. `Some` is how many bytes of `text` still belong to the value, which is over then.
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

    /// Reads on inside of a string and gives where it stopped.
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
