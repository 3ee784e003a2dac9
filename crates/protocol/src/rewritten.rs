//! A converted conversation that is updated from turn to turn.

use std::sync::Arc;

use crate::{History, Message};

/// A conversation and its converted form. A conversation is sent again in every turn and only grows at its
/// end, so an update converts only the new messages. The converted messages are shared with earlier results,
/// so encoders can recognize them.
///
/// ```
/// use windlass_protocol::{History, Message, RewrittenHistory};
/// let mut rewritten = RewrittenHistory::default();
/// let mut loud = |messages: &History| {
///     rewritten.update(messages, |_, message, out| out.push(Message::user(message.text().to_uppercase())))
/// };
/// let mut history = History::from(vec![Message::user("hello")]);
/// let first = loud(&history);
/// history.push(Message::user("again"));
/// let second = loud(&history);
/// assert_eq!(second[1].text(), "AGAIN");
/// assert_eq!(second.shared_prefix(&first), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct RewrittenHistory {
    from: History,
    to: History,
}

impl RewrittenHistory {
    /// Converts the new messages of a conversation and returns the complete converted conversation. `append`
    /// receives the index of a message, the message, and the converted conversation, of which it may change
    /// the last message. Index 0 means that the conversation is not a continuation and everything is
    /// converted again.
    ///
    /// The cost is linear in the new messages plus one pointer per 64 known messages.
    pub fn update(
        &mut self,
        messages: &History,
        mut append: impl FnMut(usize, &Arc<Message>, &mut History),
    ) -> History {
        if !self.is_beginning_of(messages) {
            self.to.clear();
            self.from.clear();
        }
        let start = self.from.len();
        for position in start..messages.len() {
            if let Some(message) = messages.get_shared(position) {
                append(position, message, &mut self.to);
            }
        }
        self.from = messages.clone();
        self.to.clone()
    }

    /// Returns whether a conversation continues the last one: it must begin with the same shared messages,
    /// not merely equal ones.
    pub fn is_beginning_of(&self, messages: &History) -> bool {
        messages.shared_prefix(&self.from) == self.from.len()
    }

    /// Returns the number of messages in the last conversation.
    pub fn len(&self) -> usize {
        self.from.len()
    }

    /// Returns whether the last conversation had no messages.
    pub fn is_empty(&self) -> bool {
        self.from.is_empty()
    }
}
