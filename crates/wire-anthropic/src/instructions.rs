//! System messages inside the conversation.

use std::ops::Range;

use windlass_protocol::{History, Message, Part, Role};

use crate::SystemMessages;
use crate::model::claude_version;
use crate::request::WireMessage;

/// Returns true if system messages keep their role inside the conversation of this model. "Mid-conversation system
/// messages" came with Opus 4.8; other models answer "role 'system' is not supported on this model".
pub(crate) fn takes_system_messages(role: SystemMessages, model: &str) -> bool {
    match role {
        SystemMessages::InPlace => true,
        SystemMessages::AsUser => false,
        SystemMessages::ByModel => {
            model.starts_with("claude-opus-")
                && claude_version(model).is_some_and(|version| version >= (4, 8))
        }
    }
}

/// Returns the position of the first of the system messages at the end of a range, or the end if the range does not end
/// with such messages. An answer follows the range, or nothing.
pub(crate) fn last_instructions(all: &History, range: Range<usize>) -> usize {
    let is_instruction = |message: &Message| {
        message.role == Role::System && message.parts.iter().all(|part| matches!(part, Part::Text(_)))
    };
    let mut positions = range.clone().rev();
    let after = positions.find(|at| !all.get(*at).is_some_and(is_instruction));
    after.map_or(range.start, |at| at.saturating_add(1))
}

/// Returns true if the next message follows an answer, or is the first one.
pub(crate) fn follows_answer(messages: &[WireMessage<'_>]) -> bool {
    messages.last().is_none_or(|last| last.role == "assistant")
}
