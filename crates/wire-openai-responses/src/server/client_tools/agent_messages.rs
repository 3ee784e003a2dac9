//! Messages between the agents of a client, as messages of the user for formats without such items.

use serde_json::Value;
use windlass_protocol::{Message, Part, Request};

use crate::item::ITEM_FIELD;

/// The beginning of text that this API encrypted, which another provider cannot read.
const CIPHER: &str = "gAAAA";

/// Replaces messages between agents by messages of the user. A message that this API encrypted stays as it is, and is
/// reported as lost.
pub(super) fn replace(request: &mut Request) {
    let is_message = |part: &Part| text_of(part).is_some();
    if !request.messages.iter().any(|message| message.parts.iter().any(is_message)) {
        return;
    }
    let mut messages: Vec<Message> = Vec::new();
    for message in &request.messages {
        let mut rest = message.clone();
        for part in std::mem::take(&mut rest.parts) {
            let Some(text) = text_of(&part) else {
                rest.parts.push(part);
                continue;
            };
            let mut before = rest.clone();
            before.parts = std::mem::take(&mut rest.parts);
            messages.extend([before, Message::user(text)]);
        }
        messages.push(rest);
    }
    messages.retain(|message| !message.parts.is_empty());
    request.messages = messages.into();
}

/// Returns the text of a message between agents.
fn text_of(part: &Part) -> Option<String> {
    let Part::Unknown(unknown) = part else { return None };
    let item = unknown.value.get(ITEM_FIELD).filter(|item| item["type"] == "agent_message")?;
    let mut text = String::new();
    for content in item.get("content")?.as_array()? {
        let field = |name: &str| content.get(name).and_then(Value::as_str);
        // A model of another format wrote the argument of the tool in plain text, and the client calls it encrypted.
        let piece =
            field("text").or_else(|| field("encrypted_content")).filter(|it| !it.starts_with(CIPHER))?;
        text.push_str(piece);
    }
    (!text.is_empty()).then_some(text)
}
