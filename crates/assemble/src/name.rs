//! A tool's name that may come in pieces or again and again.

use windlass_protocol::ToolName;

/// The longest text that is still looked at as a name; a longer one cannot be one.
const MOST_BYTES: usize = ToolName::MAX_BYTES + 1;

/// The name of one call, as far as it has come (RULES S5).
#[derive(Debug, Default)]
pub(crate) struct GrowingName {
    text: String,
    settled: bool,
}

impl GrowingName {
    /// A name that came in one piece.
    pub(crate) fn whole(text: String) -> Self {
        let settled = !text.is_empty();
        Self { text, settled }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.settled
    }

    /// Takes the next piece. The first complete known name wins, and a repeat is not appended.
    pub(crate) fn push(&mut self, piece: &str, known: &[ToolName]) {
        if self.settled || piece == self.text || self.text.len() >= MOST_BYTES {
            return;
        }
        let before = self.text.len();
        self.text.push_str(piece);
        if before > 0 && !begins_known(&self.text, known) && piece.get(..before) == self.text.get(..before) {
            // A server that sends the whole name so far with every piece.
            self.text.drain(..before);
        }
        self.settled = is_known(&self.text, known);
    }

    /// Arguments have begun, so the name is whole unless it is the beginning of a known one.
    pub(crate) fn meet_arguments(&mut self, known: &[ToolName]) {
        self.settled |= !self.text.is_empty() && !begins_known(&self.text, known);
    }

    /// Nothing more comes.
    pub(crate) fn end(&mut self) {
        self.settled = !self.text.is_empty();
    }

    /// Whether this piece says no more than what is here.
    pub(crate) fn is_repeated_by(&self, piece: &str) -> bool {
        self.text == piece
    }
}

fn is_known(text: &str, known: &[ToolName]) -> bool {
    known.iter().any(|name| name.as_str() == text)
}

fn begins_known(text: &str, known: &[ToolName]) -> bool {
    known.iter().any(|name| name.as_str().starts_with(text))
}
