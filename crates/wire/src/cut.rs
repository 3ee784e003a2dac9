//! The positions at which the encoding of a conversation can be split.

use windlass_protocol::{History, Message, Part, Role};

/// A position between two messages: the first `message` messages are the first `bytes` bytes after the head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    pub(crate) message: usize,
    pub(crate) bytes: usize,
}

/// Returns whether an independent answer begins at this message: the preceding round of calls is complete,
/// and no format merges this message with the preceding one. `opens` decides whether the format writes any
/// part of the answer.
pub(crate) fn is_cut(messages: &History, at: usize, opens: fn(&Message) -> bool) -> bool {
    let is_answer = |message: &Message| message.role == Role::Assistant;
    let before = at.checked_sub(1).and_then(|before| messages.get(before));
    messages.get(at).is_some_and(|message| {
        let has_result = message.parts.iter().any(|part| matches!(part, Part::Result(_)));
        is_answer(message) && !has_result && opens(message)
    }) && !before.is_some_and(is_answer)
}
