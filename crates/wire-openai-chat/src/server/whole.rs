//! Encodes an answer as one `chat.completion`.

use serde::Serialize;
use serde_json::{Map, Value};
use windlass_protocol::{StopReason, Usage};
use windlass_stream::{Chunk, StreamError};
use windlass_wire::{EncodeError, Encoder, ResponseHead};

use crate::reasoning::Field;
use crate::server::calls::{Calls, Head};
use crate::server::error::stream_error;
use crate::server::words::{
    UsageFields, annotation, details, finish_word, merge_finish, refusal, thought_field, usage,
};

/// The encoder of one whole answer, which collects the answer until it is complete.
#[derive(Debug)]
pub(crate) struct Whole {
    reply: ResponseHead,
    text: String,
    refusal: String,
    thoughts: String,
    field: Option<String>,
    details: Vec<Value>,
    annotations: Vec<Value>,
    calls: Calls,
    written: Vec<(Head, String)>,
    usage: Usage,
    finish: Option<(StopReason, String)>,
    error: Option<StreamError>,
}

/// The body of an answer. It is written without a tree of its values, which cost a third of the gateway's work for a short
/// answer.
#[derive(Serialize)]
struct Completion<'a> {
    choices: [Choice<'a>; 1],
    created: u64,
    id: String,
    model: &'a str,
    object: &'static str,
    usage: UsageFields,
}

#[derive(Serialize)]
struct Choice<'a> {
    finish_reason: &'a str,
    index: u32,
    logprobs: (),
    message: Value,
}

impl Whole {
    pub(crate) fn new(reply: ResponseHead) -> Self {
        Self {
            reply,
            text: String::new(),
            refusal: String::new(),
            thoughts: String::new(),
            field: None,
            details: Vec::new(),
            annotations: Vec::new(),
            calls: Calls::default(),
            written: Vec::new(),
            usage: Usage::default(),
            finish: None,
            error: None,
        }
    }

    fn message(&mut self) -> Value {
        let text = |text: &mut String| match std::mem::take(text) {
            text if text.is_empty() => Value::Null,
            text => text.into(),
        };
        let mut message = Map::new();
        message.insert("role".to_owned(), "assistant".into());
        message.insert("content".to_owned(), text(&mut self.text));
        message.insert("refusal".to_owned(), text(&mut self.refusal));
        if !self.thoughts.is_empty() {
            let field = match self.field.as_deref() {
                Some(field) if field == Field::Reasoning.as_str() => Field::Reasoning,
                _ => Field::ReasoningContent,
            };
            message.insert(field.as_str().to_owned(), text(&mut self.thoughts));
        }
        if !self.details.is_empty() {
            message.insert("reasoning_details".to_owned(), std::mem::take(&mut self.details).into());
        }
        if !self.annotations.is_empty() {
            message.insert("annotations".to_owned(), std::mem::take(&mut self.annotations).into());
        }
        let calls: Vec<Value> = self.written.drain(..).map(|(head, text)| head.item(&text)).collect();
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), calls.into());
        }
        Value::Object(message)
    }
}

impl Encoder for Whole {
    fn content_type(&self) -> &'static str {
        "application/json"
    }

    fn push(&mut self, chunk: &Chunk, _bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        match chunk {
            Chunk::Text { text } => self.text.push_str(text),
            Chunk::Reasoning { text } => self.thoughts.push_str(text),
            Chunk::ReasoningEnd { opaque } => {
                self.field = thought_field(opaque.as_ref()).map(str::to_owned).or(self.field.take());
                let details = details(opaque.as_ref()).and_then(Value::as_array);
                self.details.extend(details.into_iter().flatten().cloned());
            }
            Chunk::Call(piece) => {
                let Some(piece) = self.calls.push(piece)? else { return Ok(()) };
                match (piece.head, self.written.get_mut(piece.index)) {
                    (Some(head), _) => self.written.push((head, piece.text)),
                    (None, Some((_, text))) => text.push_str(&piece.text),
                    (None, None) => {}
                }
            }
            Chunk::Grounding { value } => self.annotations.extend(annotation(value)),
            Chunk::Usage { usage } => self.usage = *usage,
            Chunk::Finish { reason, raw } => {
                self.finish = Some(merge_finish(self.finish.take(), reason, raw));
            }
            Chunk::Error { error } => {
                self.error.get_or_insert_with(|| error.clone());
            }
            Chunk::Unknown(unknown) => self.refusal.push_str(refusal(unknown).unwrap_or_default()),
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        if let Some(error) = &self.error {
            serde_json::to_writer(bytes, &stream_error(error))?;
            return Ok(());
        }
        let refused = !self.refusal.is_empty();
        let message = self.message();
        // Without a finish the answer ended early, and clients must not take it as complete.
        let (reason, raw) = self.finish.take().unwrap_or((StopReason::Error, String::new()));
        let choice =
            Choice { finish_reason: finish_word(&reason, &raw, refused), index: 0, logprobs: (), message };
        let body = Completion {
            choices: [choice],
            created: self.reply.created,
            id: format!("chatcmpl-{}", self.reply.id),
            model: &self.reply.model,
            object: "chat.completion",
            usage: usage(&self.usage),
        };
        serde_json::to_writer(bytes, &body)?;
        Ok(())
    }
}
