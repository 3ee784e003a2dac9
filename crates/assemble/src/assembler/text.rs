//! Text and reasoning of an answer, up to the limit of bytes.

use windlass_stream::{StreamError, StreamErrorKind};

use super::Assembler;

impl Assembler {
    pub(super) fn push_text(&mut self, text: String) {
        let text = self.admit(text);
        self.parts.speak(text);
    }

    pub(super) fn push_reasoning(&mut self, text: String) {
        let text = self.admit(text);
        self.parts.think(text);
    }

    /// Returns the text, or an empty string with an error in the answer if the text exceeds the limit.
    fn admit(&mut self, text: String) -> String {
        let limit = self.options.limits.text_bytes;
        if !self.is_full && text.len() <= limit.saturating_sub(self.parts.bytes()) {
            return text;
        }
        self.is_full |= !text.is_empty();
        let message = format!("the answer has more than {limit} bytes of text");
        self.error.get_or_insert(StreamError::new(StreamErrorKind::Unknown, None, message));
        String::new()
    }
}
