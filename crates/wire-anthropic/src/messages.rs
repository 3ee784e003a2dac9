//! Encodes the conversation as messages of this format.

use std::ops::Range;

use windlass_protocol::{History, Role};
use windlass_wire::EncodeError;

use crate::names::encode_error;
use crate::parts::blocks;
use crate::request::{KnownBlock, WireBlock, WireMessage};

/// Encodes a range of messages, except the first `system` ones, which belong to the system prompt. The range
/// holds whole rounds: an answer with all results of its calls.
pub(crate) fn wire_messages(
    all: &History,
    system: usize,
    range: Range<usize>,
) -> Result<Vec<WireMessage<'_>>, EncodeError> {
    let mut messages: Vec<WireMessage<'_>> = Vec::with_capacity(range.len());
    for (position, message) in all.iter().enumerate().take(range.end).skip(range.start.max(system)) {
        let role = match message.role {
            Role::Assistant => "assistant",
            // The API does not have a developer role inside the conversation; `user` is the role with the
            // least authority.
            Role::User | Role::Tool | Role::System => "user",
            _ => return Err(encode_error(format!("the role of message {position}"))),
        };
        let content = blocks(message)?;
        if content.is_empty() {
            if role == "assistant" {
                continue;
            }
            let what = format!("message {position} is empty");
            return Err(EncodeError::Conversation { what });
        }
        // The API requires the two roles to alternate, so merge consecutive messages of one role.
        match messages.last_mut() {
            Some(last) if last.role == role => last.content.extend(content),
            _ => messages.push(WireMessage { role, content }),
        }
    }
    for message in messages.iter_mut().filter(|message| message.role == "user") {
        // The API requires all results of a round in one message, before all other blocks.
        message.content.sort_by_key(|block| !is_result(block));
    }
    Ok(messages)
}

fn is_result(block: &WireBlock<'_>) -> bool {
    matches!(block, WireBlock::Known { block: KnownBlock::ToolResult { .. }, .. })
}
