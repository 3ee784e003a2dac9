//! The check that every call of a conversation has its one result right after it.

use std::collections::HashMap;

use windlass_protocol::{CallId, History, Message, Part, Role};

use crate::EncodeError;

/// Holds that each call has exactly one result, in the messages right after it and before any other speaker
/// (RULES R1). Every provider refuses a conversation that breaks this, each in its own unhelpful words.
///
/// ```
/// use windlass_protocol::{CallId, History, Message, ResultStatus, ToolResult};
/// let stray = ToolResult::text(CallId::new("call_1")?, ResultStatus::Ok, "done");
/// let error = windlass_wire::check_pairing(&[Message::results([stray])]).unwrap_err();
/// assert!(error.to_string().contains("call_1"));
/// # Ok::<(), windlass_protocol::IdError>(())
/// ```
///
/// # Errors
/// If a call has no result or two, or a result has no call.
pub fn check_pairing<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Result<(), EncodeError> {
    check(messages.into_iter().enumerate())
}

/// The same for a conversation whose first messages were found good before, where an answer begins after them.
///
/// # Errors
/// If a call has no result or two, or a result has no call.
pub fn check_pairing_from(messages: &History, start: usize) -> Result<(), EncodeError> {
    check(messages.iter().enumerate().skip(start))
}

fn check<'a>(messages: impl Iterator<Item = (usize, &'a Message)>) -> Result<(), EncodeError> {
    // The calls that wait, with their positions: which one is named in an error must not depend on hashing.
    let mut open: HashMap<&CallId, usize> = HashMap::new();
    let mut end = 0;
    for (position, message) in messages {
        end = position.saturating_add(1);
        for part in &message.parts {
            let Part::Result(result) = part else { continue };
            if open.remove(&result.call).is_none() {
                let what =
                    format!("message {position} has a result for {} which no call waits for", result.call);
                return Err(EncodeError::Conversation { what });
            }
        }
        // A message of results may be one of several; any other message closes the round.
        if message.role != Role::Tool {
            no_call_waits(&open, position)?;
        }
        for (place, call) in message.calls().enumerate() {
            if message.role != Role::Assistant {
                let what = format!("message {position} has the call {} but is not the assistant's", call.id);
                return Err(EncodeError::Conversation { what });
            }
            if open.insert(&call.id, place).is_some() {
                let what = format!("message {position} has two calls with the id {}", call.id);
                return Err(EncodeError::Conversation { what });
            }
        }
    }
    no_call_waits(&open, end)
}

fn no_call_waits(open: &HashMap<&CallId, usize>, position: usize) -> Result<(), EncodeError> {
    match open.iter().min_by_key(|(_, place)| **place).map(|(call, _)| call) {
        None => Ok(()),
        Some(call) => {
            let what = format!("the call {call} has no result before message {position}");
            Err(EncodeError::Conversation { what })
        }
    }
}
