//! Encodes an answer as a stream of `chat.completion.chunk`s.

use serde_json::{Value, json};
use windlass_protocol::{StopReason, Usage};
use windlass_stream::Chunk;
use windlass_wire::{EncodeError, Encoder, ResponseHead};

use crate::server::calls::Calls;
use crate::server::error::stream_error;
use crate::server::words::{details, finish_word, is_annotation, refusal, usage};

/// The encoder of one streamed answer.
#[derive(Debug)]
pub(crate) struct Stream {
    reply: ResponseHead,
    usage: Usage,
    tell_usage: TellUsage,
    calls: Calls,
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
    Finished,
    Failed,
}

impl Stream {
    pub(crate) fn new(reply: ResponseHead, tell_usage: TellUsage) -> Self {
        let (usage, calls) = (Usage::default(), Calls::default());
        Self { reply, usage, tell_usage, calls, state: State::New, refused: false }
    }

    fn delta(&mut self, delta: &Value, bytes: &mut Vec<u8>) {
        self.begin(bytes);
        self.choice(delta, None, bytes);
    }

    /// Emits the first chunk, which has the role; OpenAI's libraries read it there.
    fn begin(&mut self, bytes: &mut Vec<u8>) {
        if self.state == State::New {
            self.state = State::Open;
            self.choice(&json!({ "role": "assistant", "content": "", "refusal": null }), None, bytes);
        }
    }

    fn choice(&self, delta: &Value, finish: Option<&str>, bytes: &mut Vec<u8>) {
        let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish });
        self.chunk(&json!([choice]), None, bytes);
    }

    fn chunk(&self, choices: &Value, usage: Option<Value>, bytes: &mut Vec<u8>) {
        let mut chunk = json!({
            "id": format!("chatcmpl-{}", self.reply.id), "object": "chat.completion.chunk",
            "created": self.reply.created, "model": self.reply.model, "choices": choices,
        });
        if self.tell_usage == TellUsage::Tell
            && let Some(fields) = chunk.as_object_mut()
        {
            // If the client asked for usage, all chunks but the last have it as `null`.
            fields.insert("usage".to_owned(), usage.unwrap_or_default());
        }
        event(&chunk, bytes);
    }

    fn end(&mut self, reason: &StopReason, raw: &str, bytes: &mut Vec<u8>) {
        self.begin(bytes);
        if self.state != State::Open {
            return;
        }
        self.state = State::Finished;
        self.choice(&json!({}), Some(finish_word(reason, raw, self.refused)), bytes);
    }
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
            // After the end of an answer only its usage is still of interest.
            _ if matches!(self.state, State::Finished | State::Failed) => {}
            Chunk::Text { text } => self.delta(&json!({ "content": text }), bytes),
            Chunk::Reasoning { text } => self.delta(&json!({ "reasoning_content": text }), bytes),
            Chunk::ReasoningEnd { opaque } => {
                if let Some(details) = details(opaque.as_ref()) {
                    self.delta(&json!({ "reasoning_details": details }), bytes);
                }
            }
            Chunk::Call(piece) => {
                if let Some(piece) = self.calls.push(piece)? {
                    self.delta(&json!({ "tool_calls": [piece.delta()] }), bytes);
                }
            }
            Chunk::Grounding { value } if is_annotation(value) => {
                self.delta(&json!({ "annotations": [value] }), bytes);
            }
            Chunk::Finish { reason, raw } => self.end(reason, raw, bytes),
            Chunk::Error { error } => {
                self.state = State::Failed;
                event(&stream_error(error), bytes);
            }
            Chunk::Unknown(unknown) => {
                if let Some(refusal) = refusal(unknown) {
                    self.refused = true;
                    self.delta(&json!({ "refusal": refusal }), bytes);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        // Without a finish the answer ended early. Send no end mark, so that clients do not take it as
        // complete.
        if self.state == State::Finished {
            if self.tell_usage == TellUsage::Tell {
                self.chunk(&json!([]), Some(usage(&self.usage)), bytes);
            }
            bytes.extend_from_slice(b"data: [DONE]\n\n");
        }
        Ok(())
    }
}
