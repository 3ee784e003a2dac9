//! Encodes an answer as a stream of named events.

use serde_json::{Value, json};
use windlass_protocol::{StopReason, Usage};
use windlass_stream::Chunk;
use windlass_wire::{EncodeError, Encoder, ResponseHead};

use crate::server::answer::{Blocks, Step, stop_sequence, stop_word, usage};
use crate::server::error::stream_error;

/// The encoder of one streamed answer.
#[derive(Debug)]
pub(crate) struct Stream {
    reply: ResponseHead,
    blocks: Blocks,
    usage: Usage,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    New,
    Open,
    /// The answer has ended. The stop reason is sent together with the final usage.
    Stopped {
        word: String,
        sequence: Option<String>,
    },
    Failed,
}

impl Stream {
    pub(crate) fn new(reply: ResponseHead) -> Self {
        Self { reply, blocks: Blocks::default(), usage: Usage::default(), state: State::New }
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

fn write(steps: Vec<Step>, bytes: &mut Vec<u8>) {
    for step in steps {
        let (name, data) = match step {
            Step::Start { index, block } => {
                ("content_block_start", json!({ "index": index, "content_block": block }))
            }
            Step::Delta { index, delta } => {
                ("content_block_delta", json!({ "index": index, "delta": delta.value() }))
            }
            Step::Stop { index } => ("content_block_stop", json!({ "index": index })),
        };
        let mut data = data;
        if let Some(fields) = data.as_object_mut() {
            fields.insert("type".to_owned(), name.into());
        }
        event(name, &data, bytes);
    }
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
            // After the end of an answer only its usage is still of interest.
            _ if matches!(self.state, State::Stopped { .. } | State::Failed) => {}
            Chunk::Error { error } => self.fail(&stream_error(error), bytes),
            Chunk::Finish { reason: StopReason::Error, .. } => self.fail(&broke_off(), bytes),
            Chunk::Finish { reason, raw } => {
                self.begin(bytes);
                let mut steps = Vec::new();
                self.blocks.close(&mut steps);
                write(steps, bytes);
                let word = stop_word(reason, raw).to_owned();
                self.state = State::Stopped { word, sequence: stop_sequence(reason, raw) };
            }
            other => {
                let mut steps = Vec::new();
                self.blocks.push(other, &mut steps)?;
                if !steps.is_empty() {
                    self.begin(bytes);
                }
                write(steps, bytes);
            }
        }
        Ok(())
    }

    fn finish(&mut self, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        // Without a finish the answer ended early. Send no end event, so that clients do not take it as
        // complete.
        if let State::Stopped { word, sequence } = &self.state {
            let delta = json!({ "stop_reason": word, "stop_sequence": sequence });
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
