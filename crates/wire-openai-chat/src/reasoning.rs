//! Reasoning segments and the data that has to be sent back with them.

use serde_json::{Map, Value, json};
use windlass_protocol::Opaque;
use windlass_stream::Chunk;

use crate::names::NAME;

/// The field in which reasoning was received and is sent back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// `reasoning_content`: `DeepSeek`, vLLM, Moonshot and others.
    ReasoningContent,
    /// `reasoning`: `OpenRouter`, Groq, newer vLLM.
    Reasoning,
    /// A part of the content list: Mistral.
    Content,
}

impl Field {
    pub(crate) fn of(name: &str) -> Option<Self> {
        [Self::ReasoningContent, Self::Reasoning, Self::Content]
            .into_iter()
            .find(|field| field.as_str() == name)
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::ReasoningContent => "reasoning_content",
            Self::Reasoning => "reasoning",
            Self::Content => "content",
        }
    }
}

/// The current segment of reasoning. It is empty if no segment is open.
#[derive(Debug, Default)]
pub(crate) struct Stretch {
    field: Option<Field>,
    details: Vec<Value>,
    /// Set if text came in a field of its own; the text in `reasoning_details` is then a repetition.
    spoken: bool,
}

impl Stretch {
    pub(crate) fn think(&mut self, field: Field, text: &str, chunks: &mut Vec<Chunk>) {
        if !text.is_empty() {
            self.field = Some(self.field.unwrap_or(field));
            chunks.push(Chunk::reasoning(text));
        }
    }

    /// Records that text came in a field of its own.
    pub(crate) fn note(&mut self, shown: Shown) {
        self.spoken |= shown == Shown::Already;
    }

    /// Handles `reasoning_details`. Its text repeats `reasoning` and is emitted only if `reasoning` is
    /// absent.
    pub(crate) fn details(&mut self, details: Vec<Value>, shown: Shown, chunks: &mut Vec<Chunk>) {
        let shown = if self.spoken { Shown::Already } else { shown };
        for detail in details {
            let text = ["text", "summary"].iter().find_map(|key| detail.get(*key).and_then(Value::as_str));
            if let (Shown::Not, Some(text)) = (shown, text) {
                self.think(Field::Reasoning, text, chunks);
            }
            self.merge(detail);
        }
    }

    /// Ends the segment, if one is open.
    pub(crate) fn end(&mut self, chunks: &mut Vec<Chunk>) {
        if self.field.is_none() && self.details.is_empty() {
            return;
        }
        self.spoken = false;
        let field = self.field.take().unwrap_or(Field::Reasoning);
        let mut value = json!({ "field": field.as_str() });
        if let (false, Some(object)) = (self.details.is_empty(), value.as_object_mut()) {
            object.insert("reasoning_details".to_owned(), Value::Array(std::mem::take(&mut self.details)));
        }
        chunks.push(Chunk::ReasoningEnd { opaque: Some(Opaque::new(NAME, value)) });
    }

    fn merge(&mut self, detail: Value) {
        let Value::Object(detail) = detail else { return };
        match self.details.last_mut() {
            Some(Value::Object(last))
                if last.get("type") == detail.get("type") && last.get("index") == detail.get("index") =>
            {
                merge_detail(last, detail);
            }
            _ => self.details.push(Value::Object(detail)),
        }
    }
}

/// The state of the text in `reasoning_details`: already emitted from another field, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    Already,
    Not,
}

/// Merges a detail into the previous one: texts are appended; a signature, an id or a format is replaced.
fn merge_detail(last: &mut Map<String, Value>, detail: Map<String, Value>) {
    for (key, value) in detail {
        match (key.as_str(), last.get_mut(&key), &value) {
            ("text" | "summary" | "data", Some(Value::String(before)), Value::String(more)) => {
                before.push_str(more);
            }
            (_, _, Value::Null) => {}
            _ => {
                last.insert(key, value);
            }
        }
    }
}
