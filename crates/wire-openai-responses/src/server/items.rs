//! The items of an answer that are being encoded.

use serde_json::{Map, Value, json};
use windlass_protocol::Opaque;

use crate::item::ITEM_FIELD;
use crate::names::NAME;

/// A message under construction.
#[derive(Debug)]
pub(crate) struct OpenMessage {
    pub(crate) index: u64,
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) annotations: Vec<Value>,
}

/// A reasoning item under construction.
#[derive(Debug)]
pub(crate) struct OpenThoughts {
    pub(crate) index: u64,
    pub(crate) id: String,
    /// The parts of the summary. Text is appended to the last one.
    pub(crate) parts: Vec<String>,
    /// True after a paragraph separator, which may end the last part.
    pub(crate) at_break: bool,
}

/// A call under construction.
#[derive(Debug)]
pub(crate) struct OpenCall {
    pub(crate) index: u64,
    pub(crate) id: String,
    pub(crate) call_id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) marks: Map<String, Value>,
    /// The original item of a call in another form, if it came from this API.
    pub(crate) own: Option<Value>,
}

/// Returns the opaque fields of this API.
pub(crate) fn marks_of(opaque: Option<&Opaque>) -> Map<String, Value> {
    opaque.and_then(|opaque| opaque.for_wire(NAME)?.as_object().cloned()).unwrap_or_default()
}

/// Returns the original item, if it came from this API.
pub(crate) fn own_item(opaque: Option<&Opaque>) -> Option<Value> {
    opaque?.for_wire(NAME)?.get(ITEM_FIELD).cloned()
}

/// Encodes a text part.
pub(crate) fn text_part(text: &str, annotations: &[Value]) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": annotations, "logprobs": [] })
}

/// Encodes a refusal part.
pub(crate) fn refusal_part(refusal: &str) -> Value {
    json!({ "type": "refusal", "refusal": refusal })
}

/// Encodes a message with its parts.
pub(crate) fn message_item(id: &str, status: &str, content: &[Value]) -> Value {
    json!({ "type": "message", "id": id, "status": status, "role": "assistant", "content": content })
}

impl OpenMessage {
    /// Encodes the final message. `marks` holds its own id, by which a server of this API recognises it, and
    /// its phase, which newer models need.
    pub(crate) fn item(&self, status: &str, marks: Map<String, Value>) -> Value {
        let mut item = message_item(&self.id, status, &[text_part(&self.text, &self.annotations)]);
        if let Some(fields) = item.as_object_mut() {
            fields.extend(marks);
        }
        item
    }
}

impl OpenThoughts {
    /// Encodes the final reasoning item: the original of this API, or the text alone.
    pub(crate) fn item(&self, own: Option<Value>) -> Value {
        let Some(Value::Object(mut own)) = own else {
            let parts = self.parts.iter().map(|text| summary_part(text));
            return json!({ "type": "reasoning", "id": self.id, "summary": parts.collect::<Vec<_>>() });
        };
        own.entry("id").or_insert_with(|| self.id.as_str().into());
        own.entry("summary").or_insert_with(|| json!([]));
        Value::Object(own)
    }
}

/// Encodes a part of a reasoning summary.
pub(crate) fn summary_part(text: &str) -> Value {
    json!({ "type": "summary_text", "text": text })
}

impl OpenCall {
    /// Encodes the call with the arguments so far.
    pub(crate) fn item(&self, status: &str) -> Value {
        if let Some(own) = &self.own {
            return own.clone();
        }
        let mut item = self.marks.clone();
        let fields = [
            ("type", "function_call"),
            ("id", &self.id),
            ("call_id", &self.call_id),
            ("name", &self.name),
            ("arguments", &self.arguments),
            ("status", status),
        ];
        item.extend(fields.map(|(name, value)| (name.to_owned(), value.into())));
        Value::Object(item)
    }
}
