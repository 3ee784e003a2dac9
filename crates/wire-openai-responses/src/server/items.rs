//! The items of an answer while they are written.

use serde_json::{Map, Value, json};
use windlass_protocol::Opaque;

use crate::item::ITEM_FIELD;
use crate::wire::NAME;

/// A message that is being written.
#[derive(Debug)]
pub(crate) struct OpenMessage {
    pub(crate) index: u64,
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) annotations: Vec<Value>,
}

/// Thoughts that are being written.
#[derive(Debug)]
pub(crate) struct OpenThoughts {
    pub(crate) index: u64,
    pub(crate) id: String,
    /// The parts of the summary, the last of which grows.
    pub(crate) parts: Vec<String>,
    /// Whether the last part may have ended.
    pub(crate) at_break: bool,
}

/// A call that is being written.
#[derive(Debug)]
pub(crate) struct OpenCall {
    pub(crate) index: u64,
    pub(crate) id: String,
    pub(crate) call_id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) marks: Map<String, Value>,
    /// The item of another form that came from this API.
    pub(crate) own: Option<Value>,
}

/// The fields of this API that travel with something.
pub(crate) fn marks_of(opaque: Option<&Opaque>) -> Map<String, Value> {
    opaque.and_then(|opaque| opaque.of(NAME)?.as_object().cloned()).unwrap_or_default()
}

/// The item that came from this API and goes out as it came.
pub(crate) fn own_item(opaque: Option<&Opaque>) -> Option<Value> {
    opaque?.of(NAME)?.get(ITEM_FIELD).cloned()
}

/// A part of words.
pub(crate) fn text_part(text: &str, annotations: &[Value]) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": annotations, "logprobs": [] })
}

/// A part that refuses.
pub(crate) fn refusal_part(refusal: &str) -> Value {
    json!({ "type": "refusal", "refusal": refusal })
}

/// A message with its parts.
pub(crate) fn message_item(id: &str, status: &str, content: &[Value]) -> Value {
    json!({ "type": "message", "id": id, "status": status, "role": "assistant", "content": content })
}

impl OpenMessage {
    /// The message at its end. A server of this API knows it by its own id, and newer models by its phase.
    pub(crate) fn item(&self, status: &str, marks: Map<String, Value>) -> Value {
        let mut item = message_item(&self.id, status, &[text_part(&self.text, &self.annotations)]);
        if let Some(fields) = item.as_object_mut() {
            fields.extend(marks);
        }
        item
    }
}

impl OpenThoughts {
    /// The thoughts at their end: the item that came from this API, or the words alone.
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

/// A part of the summary of thoughts.
pub(crate) fn summary_part(text: &str) -> Value {
    json!({ "type": "summary_text", "text": text })
}

impl OpenCall {
    /// The call as far as it came.
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
