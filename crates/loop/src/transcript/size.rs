//! The size of a conversation, and the parts of it that a cut keeps.

use windlass_protocol::Message;
use windlass_tokens::Tokenizer;

use super::{Transcript, TranscriptError};
use crate::meter::message_size;

impl Transcript {
    /// Sets the tokenizer that counts the conversation.
    pub(crate) fn with_tokenizer(mut self, tokenizer: Tokenizer) -> Self {
        if self.tokenizer != tokenizer {
            self.tokenizer = tokenizer;
            self.count_again();
        }
        self
    }

    pub(super) fn count_again(&mut self) {
        let sizes = self.closed.iter().map(|message| message_size(&self.tokenizer, message));
        self.size = sizes.fold(0, u64::saturating_add);
    }

    /// Returns the size of the closed messages in tokens.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Adds the task, which compaction never removes (RULES R4).
    pub(crate) fn begin_task(&mut self, task: Message) -> Result<(), TranscriptError> {
        self.task = self.closed.len();
        self.push_user(task)
    }

    /// Returns the position of the task.
    pub(crate) fn task(&self) -> usize {
        self.task
    }

    /// Returns the note that replaces removed turns, if a cut at `until` would remove it too.
    pub(crate) fn note_before(&self, until: usize) -> Option<String> {
        let note = self.note.filter(|at| *at < until)?;
        self.closed.get(note).map(Message::text)
    }
}
