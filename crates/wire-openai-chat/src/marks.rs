//! Names of the opaque fields that hold the data of this format without a counterpart in `windlass_protocol`.
//! They are stored on a part and are sent back from there.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use windlass_protocol::{Message, Opaque, Part};

use crate::names::NAME;

/// Fields of the message (`name`, `prefix`, `annotations` …), stored on its first part.
pub(crate) const MESSAGE: &str = "message";
/// The role, if two roles of this format map to one of ours; stored on the message's first part.
pub(crate) const ROLE: &str = "role";
/// Stored on a message's first part if the content was a list, and on a result with the list itself.
pub(crate) const CONTENT: &str = "content";
/// Fields of a part's object other than `type` and the part's body, for example `cache_control`. For a part
/// of unknown type, the whole part.
pub(crate) const PART: &str = "part";
/// Fields in the body of a part or a call, for example `image_url.detail`.
pub(crate) const BODY: &str = "body";
/// Fields of a call's object outside of its body, for example Gemini's `extra_content`.
pub(crate) const CALL: &str = "call";
/// Fields of a tool's object outside of the tool's body: `{"type": "function", "function": {…}, "cache_control": …}`.
pub(crate) const TOOL: &str = "tool";
/// Fields of a tool's body that this crate does not interpret.
pub(crate) const FUNCTION: &str = "function";
/// The text of arguments that are not a JSON object.
pub(crate) const ARGUMENTS: &str = "arguments";

/// Returns one group of opaque fields.
pub(crate) fn group<'a>(opaque: Option<&'a Opaque>, name: &str) -> Option<&'a Map<String, Value>> {
    opaque?.for_wire(NAME)?.get(name)?.as_object()
}

/// Returns a field of the message, from the first of its parts that has it.
pub(crate) fn message<'a>(message: &'a Message, name: &str) -> Option<&'a Value> {
    message.parts.iter().find_map(|part| part.for_wire(NAME)?.get(name))
}

/// Stores a field on the first part of a message. Without parts, the field is dropped.
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

/// Returns the fields of a call that the provider requires back with it (RULES P2).
pub(crate) fn opaque_fields(extra: &RawValue) -> Option<Opaque> {
    let extra: Value = serde_json::from_str(extra.get()).ok()?;
    (!extra.is_null()).then(|| Opaque::new(NAME, json!({ CALL: { "extra_content": extra } })))
}
