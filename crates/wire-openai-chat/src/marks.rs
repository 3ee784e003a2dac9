//! What messages and parts of this format have that has no word in a conversation: it travels in the opaque fields
//! of a part, under these names.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use windlass_protocol::{Message, Opaque, Part};

use crate::wire::NAME;

/// Fields of the message (`name`, `prefix`, `annotations` …), on its first part.
pub(crate) const MESSAGE: &str = "message";
/// The role, where ours has two words in this format, on the message's first part.
pub(crate) const ROLE: &str = "role";
/// That the message's content was a list, on its first part; on a result, the list itself.
pub(crate) const CONTENT: &str = "content";
/// Fields beside the body of a part, or a whole part that has no word here.
pub(crate) const PART: &str = "part";
/// Fields in the body of a part or call: `image_url.detail`.
pub(crate) const BODY: &str = "body";
/// Fields beside the body of a call: Gemini's `extra_content`.
pub(crate) const CALL: &str = "call";
/// The text of arguments that are no object.
pub(crate) const ARGUMENTS: &str = "arguments";

/// The fields of a part that are of this format.
pub(crate) fn of(part: &Part) -> Option<&Value> {
    let opaque = match part {
        Part::Text(text) => text.opaque.as_ref(),
        Part::Image(image) => image.opaque.as_ref(),
        Part::File(file) => file.opaque.as_ref(),
        Part::Reasoning(reasoning) => reasoning.opaque.as_ref(),
        Part::Call(call) => call.opaque.as_ref(),
        Part::Result(result) => result.opaque.as_ref(),
        Part::Unknown(unknown) => return (unknown.wire == NAME).then_some(&unknown.value),
        _ => None,
    };
    opaque.and_then(|opaque| opaque.of(NAME))
}

/// One group of fields.
pub(crate) fn group<'a>(opaque: Option<&'a Opaque>, name: &str) -> Option<&'a Map<String, Value>> {
    opaque?.of(NAME)?.get(name)?.as_object()
}

/// What a message says of itself: the first part that has it.
pub(crate) fn message<'a>(message: &'a Message, name: &str) -> Option<&'a Value> {
    message.parts.iter().find_map(|part| of(part)?.get(name))
}

/// Keeps something on the first part of a message; a message without parts has nothing to keep it on.
pub(crate) fn set(message: &mut Message, name: &str, value: Value) {
    let opaque = match message.parts.first_mut() {
        Some(Part::Text(text)) => &mut text.opaque,
        Some(Part::Image(image)) => &mut image.opaque,
        Some(Part::File(file)) => &mut file.opaque,
        Some(Part::Reasoning(reasoning)) => &mut reasoning.opaque,
        Some(Part::Call(call)) => &mut call.opaque,
        Some(Part::Result(result)) => &mut result.opaque,
        Some(Part::Unknown(unknown)) => {
            if let Some(fields) = unknown.value.as_object_mut() {
                fields.insert(name.to_owned(), value);
            }
            return;
        }
        _ => return,
    };
    let opaque = opaque.get_or_insert_with(|| Opaque::new(NAME, json!({})));
    if let Some(fields) = opaque.value.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}

/// What an answer says beside the body of a call and wants back with it (RULES P2).
pub(crate) fn travelling(extra: &RawValue) -> Option<Opaque> {
    let extra: Value = serde_json::from_str(extra.get()).ok()?;
    (!extra.is_null()).then(|| Opaque::new(NAME, json!({ CALL: { "extra_content": extra } })))
}
