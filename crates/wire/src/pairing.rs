//! The check that every call is followed by exactly one result.

use std::collections::HashMap;

use windlass_protocol::{CallId, History, Message, Part, Role};

use crate::EncodeError;

/// Checks that each call has exactly one result in the messages that directly follow it, before a message of
/// another role (RULES R1). Every provider rejects other conversations, with error messages that do not help.
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
/// Returns an error if a call has no result or several results, or if a result has no call.
pub fn check_pairing<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Result<(), EncodeError> {
    check(messages.into_iter().enumerate())
}

/// Checks a conversation from the message at `start`. The earlier messages must have been checked before, and
/// an answer must begin at `start`.
///
/// # Errors
/// Returns an error if a call has no result or several results, or if a result has no call.
pub fn check_pairing_from(messages: &History, start: usize) -> Result<(), EncodeError> {
    check(messages.iter().enumerate().skip(start))
}

fn check<'a>(messages: impl Iterator<Item = (usize, &'a Message)>) -> Result<(), EncodeError> {
    // Open calls with their positions, so that the call in an error message does not depend on the hash
    // order.
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
        // Results of one round may be split over several messages; any other message ends the round.
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
