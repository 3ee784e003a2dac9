//! System messages inside the conversation.

use std::ops::Range;

use windlass_protocol::{History, Message, Part, Role};

use crate::SystemMessages;
use crate::model::is_since;
use crate::request::WireMessage;

/// The models that take system messages inside the conversation, from Anthropic's page "Mid-conversation system messages and
/// tool changes". Sonnet 5 does not.
const TAKING: [(&str, (u32, u32)); 5] =
    [("opus", (4, 8)), ("fable", (5, 0)), ("mythos", (5, 0)), ("sonnet", (5, 5)), ("haiku", (5, 5))];

/// Returns true if system messages keep their role inside the conversation of this model. Other models answer "role
/// 'system' is not supported on this model".
pub(crate) fn takes_system_messages(role: SystemMessages, model: &str) -> bool {
    match role {
        SystemMessages::InPlace => true,
        SystemMessages::AsUser => false,
        SystemMessages::ByModel => is_since(model, &TAKING),
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
