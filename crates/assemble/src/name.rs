//! A tool's name that may arrive in pieces or repeatedly.

use windlass_protocol::ToolName;

/// The maximum number of bytes to buffer; a longer text is not a valid name.
const MOST_BYTES: usize = ToolName::MAX_BYTES + 1;

/// The received part of a call's name (RULES S5).
#[derive(Debug, Default)]
pub(crate) struct GrowingName {
    text: String,
    settled: bool,
}

impl GrowingName {
    /// Creates a name that arrived in one piece.
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

    /// Appends the next piece. The first complete name of a known tool is final, and repetitions are not
    /// appended.
    pub(crate) fn push(&mut self, piece: &str, known: &[ToolName]) {
        if self.settled || piece == self.text || self.text.len() >= MOST_BYTES {
            return;
        }
        let before = self.text.len();
        self.text.push_str(piece);
        if before > 0 && !begins_known(&self.text, known) && piece.get(..before) == self.text.get(..before) {
            // Some servers send the complete name up to now with every piece; keep only the last one.
            self.text.drain(..before);
        }
        self.settled = is_known(&self.text, known);
    }

    /// Handles the start of the arguments: the name is then complete, unless it is a prefix of a known name.
    pub(crate) fn meet_arguments(&mut self, known: &[ToolName]) {
        self.settled |= !self.text.is_empty() && !begins_known(&self.text, known);
    }

    /// Handles the end of the call: the name is complete.
    pub(crate) fn end(&mut self) {
        self.settled = !self.text.is_empty();
    }

    /// Returns whether a piece repeats the current name.
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
