//! Encodes an answer as one message.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use windlass_protocol::{StopReason, Usage};
use windlass_stream::Chunk;
use windlass_wire::{EncodeError, Encoder, ResponseHead};

use crate::programs::find_container;
use crate::server::answer::{Blocks, Delta, Step, can_replace_stop, stop_sequence, stop_word, usage};
use crate::server::error::stream_error;
use crate::server::stream::broke_off;

/// The encoder of one whole answer, which collects the answer until it is complete.
#[derive(Debug)]
pub(crate) struct Whole {
    reply: ResponseHead,
    blocks: Blocks,
    content: Vec<Draft>,
    usage: Usage,
    stop: Option<String>,
    sequence: Option<String>,
    /// The container of the answer's programs.
    container: Option<Value>,
    error: Option<Value>,
}

/// A block under construction.
#[derive(Debug, Default)]
struct Draft {
    fields: Map<String, Value>,
    /// The text of a call's input, with the key order and number format of the model.
    input: String,
}

/// The message. The order of its fields is that of the API.
#[derive(Serialize)]
struct Message<'a> {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    role: &'static str,
    model: &'a str,
    content: &'a [Draft],
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<&'a Value>,
    stop_reason: &'a str,
    stop_sequence: Option<&'a str>,
    usage: Value,
}

impl Whole {
    pub(crate) fn new(reply: ResponseHead) -> Self {
        let (blocks, usage) = (Blocks::default(), Usage::default());
        Self {
            reply,
            blocks,
            content: Vec::new(),
            usage,
            stop: None,
            sequence: None,
            container: None,
            error: None,
        }
    }
}

impl Draft {
    fn add(&mut self, delta: Delta) {
        let (name, text) = match delta {
            Delta::Text(text) => ("text", text),
            Delta::Thinking(text) => ("thinking", text),
            Delta::Signature(text) => ("signature", text),
            Delta::Input(text) => {
                self.input.push_str(&text);
                return;
            }
            Delta::Citation(value) => {
                let citations = self.fields.entry("citations").or_insert_with(|| Value::Array(Vec::new()));
                if let Some(citations) = citations.as_array_mut() {
                    citations.push(value);
                }
                return;
            }
        };
        if let Some(Value::String(before)) = self.fields.get_mut(name) {
            before.push_str(&text);
        }
    }
}

impl Serialize for Draft {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let input = match serde_json::from_str::<&RawValue>(&self.input) {
            Ok(input) if input.get().starts_with('{') => Some(InputJson::Raw(input)),
            // No input came, so the empty object of the start remains, as in the API's own answers.
            _ if self.input.trim().is_empty() => None,
            // Input that was cut is sent as a string, which no client takes for arguments (RULES S10).
            _ => Some(InputJson::Text(&self.input)),
        };
        serializer.collect_map(self.fields.iter().map(|(name, value)| match (name.as_str(), input) {
            ("input", Some(input)) => (name, input),
            _ => (name, InputJson::Value(value)),
        }))
    }
}

#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
enum InputJson<'a> {
    Raw(&'a RawValue),
    Text(&'a str),
    Value(&'a Value),
}

impl Encoder for Whole {
    fn content_type(&self) -> &'static str {
        "application/json"
    }

    fn push(&mut self, chunk: &Chunk, _bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        match chunk {
            Chunk::Usage { usage } => self.usage = *usage,
            _ if self.error.is_some() => {}
            Chunk::Error { error } => self.error = Some(stream_error(error)),
            Chunk::Finish { reason: StopReason::Error, .. } => self.error = Some(broke_off()),
            Chunk::Finish { reason, .. } if !can_replace_stop(self.stop.as_deref(), reason) => {}
            Chunk::Finish { reason, raw } => {
                self.stop = Some(stop_word(reason, raw).to_owned());
                self.sequence = stop_sequence(reason, raw);
            }
            Chunk::Unknown(unknown) if let Some(container) = find_container(unknown) => {
                self.container = Some(container.clone());
            }
            other => {
                let mut steps = Vec::new();
                self.blocks.push(other, &mut steps)?;
                for step in steps {
                    match step {
                        Step::Start { block: Value::Object(fields), .. } => {
                            self.content.push(Draft { fields, input: String::new() });
                        }
                        Step::Start { .. } => self.content.push(Draft::default()),
                        Step::Delta { index, delta } => {
                            if let Some(draft) = self.content.get_mut(index) {
                                draft.add(delta);
                            }
                        }
                        Step::Stop { .. } => {}
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        let body = match (&self.error, &self.stop) {
            (Some(error), _) => serde_json::to_vec(error)?,
            // Without a finish the answer ended early, and clients must not take it as complete.
            (None, None) => serde_json::to_vec(&broke_off())?,
            (None, Some(stop)) => serde_json::to_vec(&Message {
                id: format!("msg_{}", self.reply.id),
                kind: "message",
                role: "assistant",
                model: &self.reply.model,
                content: &self.content,
                container: self.container.as_ref(),
                stop_reason: stop,
                stop_sequence: self.sequence.as_deref(),
                usage: usage(&self.usage),
            })?,
        };
        bytes.extend(body);
        Ok(())
    }
}
