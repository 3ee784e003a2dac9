//! Decodes a client's messages.

use serde_json::value::RawValue;
use windlass_protocol::{Message, Part, Role};
use windlass_wire::{Fields, RequestError};

use crate::server::blocks;

/// Appends the messages of a request to the conversation. Tool results become a message of their own, before
/// the user's other content.
pub(crate) fn read(
    items: Vec<(String, &RawValue)>,
    conversation: &mut Vec<Message>,
) -> Result<(), RequestError> {
    for (place, raw) in items {
        let mut fields = Fields::parse(place, raw.get())?;
        let role = fields.take_required_text("role")?;
        let parts = blocks::read(&mut fields, "content")?;
        match role.as_str() {
            "assistant" => conversation.push(Message::assistant(parts)),
            "user" => {
                let (results, words): (Vec<_>, Vec<_>) =
                    parts.into_iter().partition(|part| matches!(part, Part::Result(_)));
                let only_results = words.is_empty() && !results.is_empty();
                if !results.is_empty() {
                    conversation.push(Message::new(Role::Tool, results));
                }
                if !only_results {
                    conversation.push(Message::new(Role::User, words));
                }
            }
            "system" => conversation.push(Message::new(Role::System, parts)),
            _ => return Err(fields.wrong("role", "expected user, assistant or system")),
        }
    }
    Ok(())
}
