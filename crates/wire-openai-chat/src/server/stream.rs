//! Encodes an answer as a stream of `chat.completion.chunk`s.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use windlass_protocol::{StopReason, Usage};
use windlass_stream::Chunk;
use windlass_wire::{EncodeError, Encoder, ResponseHead};

use crate::server::calls::Calls;
use crate::server::error::stream_error;
use crate::server::words::{UsageFields, annotation, details, finish_word, merge_finish, refusal, usage};

/// The encoder of one streamed answer.
#[derive(Debug)]
pub(crate) struct Stream {
    /// The fields that all chunks have.
    fields: String,
    usage: Usage,
    tell_usage: TellUsage,
    calls: Calls,
    /// The sources of the text. OpenAI's library merges only lists whose entries have an index, which these do not
    /// have, so all go into one delta.
    annotations: Vec<Value>,
    /// The end of the answer. Some providers send a finish reason with each event, and clients stop reading at the
    /// first one, so the finish reason is sent at the end of the stream.
    finish: Option<(StopReason, String)>,
    state: State,
    refused: bool,
}

/// The client's choice of a final chunk with the usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TellUsage {
    Tell,
    Leave,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    Open,
    Failed,
}

impl Stream {
    pub(crate) fn new(reply: &ResponseHead, tell_usage: TellUsage) -> Self {
        let (usage, calls) = (Usage::default(), Calls::default());
        let (annotations, finish, state) = (Vec::new(), None, State::New);
        let fields = common_fields(reply);
        Self { fields, usage, tell_usage, calls, annotations, finish, state, refused: false }
    }

    fn delta(&mut self, name: &str, value: &impl Serialize, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.begin(bytes)?;
        self.choice(&Member { name, value }, None, bytes)
    }

    /// Emits the first chunk, which has the role; OpenAI's libraries read it there.
    fn begin(&mut self, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        if self.state == State::New {
            self.state = State::Open;
            self.choice(&json!({ "role": "assistant", "content": "", "refusal": null }), None, bytes)?;
        }
        Ok(())
    }

    /// Writes a chunk. A stream has one for each token, so its bytes are written without a value of the whole chunk.
    fn choice(
        &self,
        delta: &impl Serialize,
        finish: Option<&str>,
        bytes: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        bytes.extend_from_slice(b"data: {\"choices\":[{\"delta\":");
        serde_json::to_writer(&mut *bytes, delta)?;
        bytes.extend_from_slice(b",\"finish_reason\":");
        serde_json::to_writer(&mut *bytes, &finish)?;
        bytes.extend_from_slice(b",\"index\":0,\"logprobs\":null}]");
        self.end_chunk(None, bytes)
    }

    /// Writes the fields that all chunks have, and the end of a chunk.
    fn end_chunk(&self, usage: Option<&UsageFields>, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        bytes.extend_from_slice(self.fields.as_bytes());
        if self.tell_usage == TellUsage::Tell {
            // If the client asked for usage, all chunks but the last have it as `null`.
            bytes.extend_from_slice(b",\"usage\":");
            serde_json::to_writer(&mut *bytes, &usage)?;
        }
        bytes.extend_from_slice(b"}\n\n");
        Ok(())
    }

    fn end(&mut self, (reason, raw): &(StopReason, String), bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.begin(bytes)?;
        if !self.annotations.is_empty() {
            let annotations = std::mem::take(&mut self.annotations);
            self.choice(&Member { name: "annotations", value: &annotations }, None, bytes)?;
        }
        self.choice(&json!({}), Some(finish_word(reason, raw, self.refused)), bytes)?;
        if self.tell_usage == TellUsage::Tell {
            bytes.extend_from_slice(b"data: {\"choices\":[]");
            self.end_chunk(Some(&usage(&self.usage)), bytes)?;
        }
        bytes.extend_from_slice(b"data: [DONE]\n\n");
        Ok(())
    }
}

/// An object with one member.
struct Member<'a, T> {
    name: &'a str,
    value: &'a T,
}

impl<T: Serialize> Serialize for Member<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.name, self.value)])
    }
}

/// Returns the fields that all chunks of an answer have, after the choices.
fn common_fields(reply: &ResponseHead) -> String {
    let (id, model) = (Value::from(format!("chatcmpl-{}", reply.id)), Value::from(reply.model.as_str()));
    let created = reply.created;
    format!(",\"created\":{created},\"id\":{id},\"model\":{model},\"object\":\"chat.completion.chunk\"")
}

fn event(value: &Value, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(format!("data: {value}\n\n").as_bytes());
}

impl Encoder for Stream {
    fn content_type(&self) -> &'static str {
        "text/event-stream"
    }

    fn keep_alive(&mut self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(b": keep-alive\n\n");
    }

    fn push(&mut self, chunk: &Chunk, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        match chunk {
            Chunk::Usage { usage } => self.usage = *usage,
            _ if self.state == State::Failed => {}
            Chunk::Text { text } => self.delta("content", text, bytes)?,
            Chunk::Reasoning { text } => self.delta("reasoning_content", text, bytes)?,
            Chunk::ReasoningEnd { opaque } => {
                if let Some(details) = details(opaque.as_ref()) {
                    self.delta("reasoning_details", &details, bytes)?;
                }
            }
            Chunk::Call(piece) => {
                if let Some(piece) = self.calls.push(piece)? {
                    self.delta("tool_calls", &[piece.delta()], bytes)?;
                }
            }
            Chunk::Grounding { value } => self.annotations.extend(annotation(value)),
            Chunk::Finish { reason, raw } => {
                self.finish = Some(merge_finish(self.finish.take(), reason, raw));
            }
            Chunk::Error { error } => {
                self.state = State::Failed;
                event(&stream_error(error), bytes);
            }
            Chunk::Unknown(unknown) => {
                if let Some(refusal) = refusal(unknown) {
                    self.refused = true;
                    self.delta("refusal", &refusal, bytes)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        // Without a finish the answer ended early. Send no end mark, so that clients do not take it as
        // complete.
        if let Some(finish) = self.finish.take().filter(|_| self.state != State::Failed) {
            self.end(&finish, bytes)?;
        }
        Ok(())
    }
}
