//! The text of an answer while it streams, and the JSON value inside it.

use windlass_partial_json::{ErrorKind, Parser, Snapshot, Status};

/// The number of bytes before a bracket that are examined for a code fence.
const FENCE_WINDOW: usize = 32;

/// The text of an answer, and a parser of the first JSON value in it: models put an object into a fence, or words
/// around it. Every byte is searched or parsed once, so the work is linear in the length of the text.
#[derive(Debug)]
pub(crate) struct AnswerText {
    text: String,
    parser: Parser,
    state: State,
    /// The end of the text that was searched or parsed.
    read_to: usize,
    /// True if a list can be the answer. An object always can.
    takes_lists: bool,
    /// True if the value in the parser was reported to the reader.
    is_exposed: bool,
    /// The number of values that the parser has started.
    generation: u64,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// No value has started.
    Searching,
    /// The value that starts here is being parsed.
    Reading { start: usize },
    /// The value is complete.
    Complete { start: usize, end: usize },
}

/// The effect of a piece of text on the partial value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Growth {
    /// The value that the reader knows is void.
    pub(crate) is_discarded: bool,
    /// The value in the parser has changed.
    pub(crate) is_grown: bool,
}

impl AnswerText {
    pub(crate) fn new(takes_lists: bool) -> Self {
        Self {
            text: String::new(),
            parser: Parser::new(),
            state: State::Searching,
            read_to: 0,
            takes_lists,
            is_exposed: false,
            generation: 0,
        }
    }

    /// Forgets the text. Returns whether the reader knows a value of it.
    pub(crate) fn clear(&mut self) -> bool {
        self.text.clear();
        self.state = State::Searching;
        self.read_to = 0;
        std::mem::take(&mut self.is_exposed)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of values that the parser has started, which identifies the current one.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the value as far as it has arrived.
    pub(crate) fn snapshot(&self) -> Option<Snapshot<'_>> {
        (!matches!(self.state, State::Searching)).then(|| self.parser.snapshot())
    }

    /// Returns whether a value has started and is not complete.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, State::Reading { .. })
    }

    /// Returns the text of the complete value. A list counts only if no words follow it, because brackets are common in
    /// prose.
    pub(crate) fn complete_value(&self) -> Option<&str> {
        let State::Complete { start, end } = self.state else { return None };
        let after = self.text.get(end..).unwrap_or_default().trim_start();
        let value = self.text.get(start..end)?.trim_end();
        (value.starts_with('{') || after.is_empty() || after.starts_with("```")).then_some(value)
    }

    /// Continues with the next value after the complete one. Returns `false` if no value is complete.
    pub(crate) fn skip_value(&mut self) -> bool {
        let State::Complete { end, .. } = self.state else { return false };
        self.state = State::Searching;
        self.read_to = end;
        self.advance();
        true
    }

    /// Appends text.
    pub(crate) fn push(&mut self, delta: &str) -> Growth {
        self.text.push_str(delta);
        self.advance()
    }

    fn advance(&mut self) -> Growth {
        let mut growth = Growth::default();
        while self.read_to < self.text.len() {
            match self.state {
                State::Complete { .. } => break,
                State::Searching => self.search(),
                State::Reading { start } => {
                    growth.is_grown = true;
                    self.parse(start, &mut growth);
                }
            }
        }
        growth.is_grown &= self.snapshot().is_some();
        self.is_exposed |= growth.is_grown;
        growth
    }

    /// Finds the start of the next value.
    fn search(&mut self) {
        let found = self.text.get(self.read_to..).and_then(|rest| rest.find(['{', '[']));
        let Some(start) = found.map(|at| self.read_to.saturating_add(at)) else {
            self.read_to = self.text.len();
            return;
        };
        let is_object = self.text.as_bytes().get(start) == Some(&b'{');
        if is_object || (self.takes_lists && self.starts_answer(start)) {
            self.parser.clear();
            self.generation = self.generation.saturating_add(1);
            self.state = State::Reading { start };
            self.read_to = start;
        } else {
            self.read_to = start.saturating_add(1);
        }
    }

    /// Returns whether a bracket is the first character of the text or of a code fence.
    fn starts_answer(&self, start: usize) -> bool {
        let window = self.text.floor_char_boundary(start.saturating_sub(FENCE_WINDOW));
        let before = self.text.get(window..start).unwrap_or_default().trim_end();
        let line = before.rsplit('\n').next().unwrap_or_default();
        (window == 0 && before.is_empty()) || line.starts_with("```")
    }

    /// Parses the rest of the text as part of the value.
    fn parse(&mut self, start: usize, growth: &mut Growth) {
        let rest = self.text.get(self.read_to..).unwrap_or_default();
        let Err(error) = self.parser.push(rest) else {
            self.read_to = self.text.len();
            if self.parser.status() == Status::Complete {
                self.state = State::Complete { start, end: self.read_to };
            }
            return;
        };
        let at = start.saturating_add(error.offset());
        if error.kind() == ErrorKind::TrailingText {
            self.state = State::Complete { start, end: at };
            self.read_to = at;
            return;
        }
        // The text is not JSON. Continue after the error, because parsing the same text again would take quadratic
        // time.
        self.state = State::Searching;
        self.read_to = self.text.ceil_char_boundary(at.max(start.saturating_add(1)));
        growth.is_discarded |= std::mem::take(&mut self.is_exposed);
    }
}

#[cfg(test)]
mod tests;
