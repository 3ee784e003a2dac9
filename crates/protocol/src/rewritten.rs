//! A conversation in another form, kept from turn to turn.

use std::sync::Arc;

use crate::{History, Message};

/// The last conversation that was put into another form, and that form. A conversation is sent again with every turn
/// and only grows at its end, so only its new messages are put into the form; the others are shared, and those who
/// encode them know them again.
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
    /// Appends the new messages of a conversation in their other form and returns the whole. `append` takes the
    /// position of a message, the message, and what was written before it, of which it may change the last. Position 0
    /// means that the conversation is another one and everything is written anew.
    ///
    /// The cost is that of the new messages, and of one pointer for each 64 messages that were known.
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

    /// Returns whether a conversation begins with all messages of the last one, shared with it and not merely equal.
    pub fn is_beginning_of(&self, messages: &History) -> bool {
        messages.shared_prefix(&self.from) == self.from.len()
    }

    /// Returns how many messages the last conversation had.
    pub fn len(&self) -> usize {
        self.from.len()
    }

    /// Returns whether the last conversation had no messages.
    pub fn is_empty(&self) -> bool {
        self.from.is_empty()
    }
}
