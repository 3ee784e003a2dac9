//! The thoughts of a stretch, and what has to go back with them.

use serde_json::{Map, Value, json};
use windlass_protocol::Opaque;
use windlass_stream::Chunk;

use crate::wire::NAME;

/// The field that thoughts came in, and go back in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// `DeepSeek`, vLLM, Moonshot and others.
    ReasoningContent,
    /// `OpenRouter`, Groq, newer vLLM.
    Reasoning,
    /// Mistral: a part of the content list.
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

/// A stretch of thoughts that is open, or none.
#[derive(Debug, Default)]
pub(crate) struct Stretch {
    field: Option<Field>,
    details: Vec<Value>,
    /// Words came in a field of their own, so those of details are the same again.
    spoken: bool,
}

impl Stretch {
    pub(crate) fn think(&mut self, field: Field, text: &str, chunks: &mut Vec<Chunk>) {
        if !text.is_empty() {
            self.field = Some(self.field.unwrap_or(field));
            chunks.push(Chunk::reasoning(text));
        }
    }

    /// Keeps in mind that words came in a field of their own.
    pub(crate) fn note(&mut self, shown: Shown) {
        self.spoken |= shown == Shown::Already;
    }

    /// Takes `reasoning_details`; the text in them is what `reasoning` says too, and is shown only where
    /// `reasoning` is missing.
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

    /// Ends the stretch, if one is open.
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

/// Whether the words of details were shown already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    Already,
    Not,
}

/// Texts grow; a signature, an id or a format is said once.
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
