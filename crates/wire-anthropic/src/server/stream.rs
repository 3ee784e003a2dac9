//! Encodes an answer as a stream of named events.

use serde_json::{Value, json};
use windlass_protocol::{StopReason, Usage};
use windlass_stream::Chunk;
use windlass_wire::{EncodeError, Encoder, ResponseHead};

use crate::programs::{CONTAINER, find_container};
use crate::server::answer::{Blocks, Delta, Step, can_replace_stop, stop_sequence, stop_word, usage};
use crate::server::error::stream_error;

/// The encoder of one streamed answer.
#[derive(Debug)]
pub(crate) struct Stream {
    reply: ResponseHead,
    blocks: Blocks,
    usage: Usage,
    /// The container of the answer's programs.
    container: Option<Value>,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    New,
    Open,
    /// The answer has ended. The stop reason is sent together with the final usage. Content can still follow: some
    /// providers end each event as if it were the last.
    Stopped {
        word: String,
        sequence: Option<String>,
    },
    Failed,
}

impl Stream {
    pub(crate) fn new(reply: ResponseHead) -> Self {
        let (blocks, usage) = (Blocks::default(), Usage::default());
        Self { reply, blocks, usage, container: None, state: State::New }
    }

    fn begin(&mut self, bytes: &mut Vec<u8>) {
        if self.state != State::New {
            return;
        }
        self.state = State::Open;
        let message = json!({
            "id": format!("msg_{}", self.reply.id), "type": "message", "role": "assistant",
            "model": self.reply.model, "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": usage(&self.usage),
        });
        event("message_start", &json!({ "type": "message_start", "message": message }), bytes);
    }

    fn fail(&mut self, error: &Value, bytes: &mut Vec<u8>) {
        self.state = State::Failed;
        event("error", error, bytes);
    }
}

fn event(name: &str, data: &Value, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(format!("event: {name}\ndata: {data}\n\n").as_bytes());
}

fn write(steps: Vec<Step>, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
    for step in steps {
        match step {
            Step::Start { index, block } => {
                let kind = "content_block_start";
                event(kind, &json!({ "type": kind, "index": index, "content_block": block }), bytes);
            }
            Step::Delta { index, delta } => write_delta(index, &delta, bytes)?,
            Step::Stop { index } => {
                let kind = "content_block_stop";
                event(kind, &json!({ "type": kind, "index": index }), bytes);
            }
        }
    }
    Ok(())
}

/// Writes a delta. A stream has one for each token, so its bytes are written without a value of the whole event.
fn write_delta(index: usize, delta: &Delta, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
    bytes.extend_from_slice(b"event: content_block_delta\ndata: {\"delta\":");
    serde_json::to_writer(&mut *bytes, delta)?;
    bytes.extend_from_slice(b",\"index\":");
    serde_json::to_writer(&mut *bytes, &index)?;
    bytes.extend_from_slice(b",\"type\":\"content_block_delta\"}\n\n");
    Ok(())
}

impl Encoder for Stream {
    fn content_type(&self) -> &'static str {
        "text/event-stream"
    }

    fn keep_alive(&mut self, bytes: &mut Vec<u8>) {
        if matches!(self.state, State::New | State::Open) {
            self.begin(bytes);
            event("ping", &json!({ "type": "ping" }), bytes);
        }
    }

    fn expect_input_tokens(&mut self, tokens: u64) {
        if self.state == State::New && self.usage == Usage::default() {
            self.usage.input_tokens = tokens;
        }
    }

    fn push(&mut self, chunk: &Chunk, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        match chunk {
            Chunk::Usage { usage } => self.usage = *usage,
            _ if self.state == State::Failed => {}
            Chunk::Error { error } => self.fail(&stream_error(error), bytes),
            Chunk::Finish { reason: StopReason::Error, .. } => self.fail(&broke_off(), bytes),
            Chunk::Finish { reason, raw } => {
                self.begin(bytes);
                let mut steps = Vec::new();
                self.blocks.close(&mut steps);
                write(steps, bytes)?;
                let earlier = match &self.state {
                    State::Stopped { word, .. } => Some(word.as_str()),
                    _ => None,
                };
                if can_replace_stop(earlier, reason) {
                    let word = stop_word(reason, raw).to_owned();
                    self.state = State::Stopped { word, sequence: stop_sequence(reason, raw) };
                }
            }
            Chunk::Unknown(unknown) if let Some(container) = find_container(unknown) => {
                self.container = Some(container.clone());
            }
            other => {
                let mut steps = Vec::new();
                self.blocks.push(other, &mut steps)?;
                if !steps.is_empty() {
                    self.begin(bytes);
                }
                write(steps, bytes)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        // Without a finish the answer ended early. Send no end event, so that clients do not take it as
        // complete.
        if let State::Stopped { word, sequence } = &self.state {
            let mut delta = json!({ "stop_reason": word, "stop_sequence": sequence });
            if let (Some(fields), Some(container)) = (delta.as_object_mut(), self.container.take()) {
                fields.insert(CONTAINER.to_owned(), container);
            }
            let data = json!({ "type": "message_delta", "delta": delta, "usage": usage(&self.usage) });
            event("message_delta", &data, bytes);
            event("message_stop", &json!({ "type": "message_stop" }), bytes);
        }
        Ok(())
    }
}

/// Returns the error for an answer that broke off without an error message from the provider.
pub(crate) fn broke_off() -> Value {
    json!({ "type": "error", "error": { "type": "api_error", "message": "the answer ended early" } })
}
