//! One answer of a mock model, and its chunks.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use serde_json::Value;
use tokio::time::Sleep;
use windlass_protocol::{StopReason, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk, ModelError, ModelErrorKind};

use super::fault::{Ending, Fault, refusal, truncate_to_bytes};

/// One part of an answer.
#[derive(Debug)]
pub(super) enum Step {
    Thinking(String),
    Text(String),
    Calls(Vec<(String, Value)>),
    Error { kind: ModelErrorKind, message: String },
    Refusal { status: u16, retry_after: Option<Duration> },
}

impl Step {
    /// Returns the place of the part in an answer. A part can only follow a part with a lower place.
    fn place(&self) -> u8 {
        match self {
            Self::Thinking(_) => 1,
            Self::Text(_) => 2,
            Self::Calls(_) => 3,
            Self::Error { .. } | Self::Refusal { .. } => 4,
        }
    }
}

/// One answer.
#[derive(Debug, Default)]
pub(super) struct MockAnswer {
    steps: Vec<Step>,
    pub(super) is_cut: bool,
    pub(super) delay: Duration,
    pub(super) usage: Option<Usage>,
    pub(super) faults: Vec<Fault>,
}

impl MockAnswer {
    /// Returns whether the part belongs to this answer, and not to the next one.
    pub(super) fn takes(&self, step: &Step) -> bool {
        match (self.steps.last(), step) {
            (Some(_), Step::Error { .. } | Step::Refusal { .. }) => false,
            (Some(_), _) if self.is_cut || !self.faults.is_empty() => false,
            (Some(last), step) => last.place() < step.place(),
            (None, _) => true,
        }
    }

    pub(super) fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Returns the error, if the answer is one.
    pub(super) fn to_error(&self) -> Option<ModelError> {
        match self.steps.last() {
            Some(Step::Error { kind, message }) => Some(ModelError::new(*kind, message.as_str())),
            Some(Step::Refusal { status, retry_after }) => Some(refusal(*status, *retry_after)),
            _ => None,
        }
    }

    /// Describes the answer in one line.
    pub(super) fn describe(&self) -> String {
        let part = |step: &Step| match step {
            Step::Thinking(text) => format!("thinking {text:?}"),
            Step::Text(text) => format!("text {text:?}"),
            Step::Calls(calls) => {
                let calls: Vec<String> =
                    calls.iter().map(|(tool, arguments)| format!("call {tool} {arguments}")).collect();
                calls.join(", ")
            }
            Step::Error { message, .. } => format!("error {message:?}"),
            Step::Refusal { status, .. } => format!("refusal with the status {status}"),
        };
        let parts: Vec<String> = self.steps.iter().map(part).collect();
        if parts.is_empty() { "an empty answer".to_owned() } else { parts.join(", ") }
    }

    /// Returns the chunks of the answer to the request with this number.
    pub(super) fn into_stream(self, number: usize) -> MockStream {
        let mut chunks = Vec::new();
        let mut has_calls = false;
        for step in self.steps {
            match step {
                Step::Thinking(text) => {
                    chunks.extend(words(&text).map(Chunk::reasoning));
                    chunks.push(Chunk::ReasoningEnd { opaque: None });
                }
                Step::Text(text) => {
                    chunks.extend(words(&text).map(Chunk::text));
                    chunks.push(Chunk::TextEnd { opaque: None });
                }
                Step::Calls(calls) => {
                    has_calls |= !calls.is_empty();
                    for (position, (tool, arguments)) in calls.into_iter().enumerate() {
                        push_call(&mut chunks, (number, position), tool, &arguments);
                    }
                }
                Step::Error { .. } | Step::Refusal { .. } => {}
            }
        }
        if let Some(usage) = self.usage {
            chunks.push(Chunk::Usage { usage });
        }
        if !self.is_cut {
            let (reason, raw) =
                if has_calls { (StopReason::Calls, "tool_calls") } else { (StopReason::End, "stop") };
            chunks.push(Chunk::Finish { reason, raw: raw.to_owned() });
        }
        let (mut ending, mut pause) = (Ending::Proper, Duration::ZERO);
        for fault in self.faults {
            match fault {
                Fault::Slow(wait) => pause = wait,
                Fault::CutAfterBytes(bytes) => {
                    truncate_to_bytes(&mut chunks, bytes);
                    ending = Ending::Broken;
                }
                Fault::CutAfterChunks(count) => {
                    chunks.truncate(count);
                    ending = Ending::Broken;
                }
                Fault::StallAfterChunks(count) => {
                    chunks.truncate(count);
                    ending = Ending::Silent;
                }
                Fault::MalformedAfterChunks(count) => {
                    chunks.truncate(count);
                    ending = Ending::Malformed;
                }
                Fault::Refuse { .. } => {}
            }
        }
        MockStream { chunks: chunks.into(), ending, pause, sleep: None }
    }
}

/// Returns the words of a text, each with the space before it.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?.len_utf8();
        let end = rest
            .get(first..)
            .and_then(|after| after.find(' '))
            .map_or(rest.len(), |at| at.saturating_add(first));
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// Adds a call whose arguments arrive in two pieces.
fn push_call(chunks: &mut Vec<Chunk>, (number, position): (usize, usize), tool: String, arguments: &Value) {
    let key = CallKey(u64::try_from(position).unwrap_or(u64::MAX));
    let id = Some(format!("mock_{number}_{position}"));
    chunks.push(Chunk::Call(CallChunk::Start { key, id, name: tool, opaque: None }));
    let text = arguments.to_string();
    let half = text.floor_char_boundary(text.len() / 2);
    let (first, second) = text.split_at(half);
    for piece in [first, second].into_iter().filter(|piece| !piece.is_empty()) {
        chunks.push(Chunk::Call(CallChunk::Delta { key, arguments: piece.to_owned() }));
    }
    chunks.push(Chunk::Call(CallChunk::End { key, arguments: None }));
}

/// The chunks of an answer.
pub(super) struct MockStream {
    chunks: VecDeque<Chunk>,
    ending: Ending,
    /// The pause before each chunk.
    pause: Duration,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Stream for MockStream {
    type Item = Result<Chunk, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let stream = &mut *self;
        if stream.chunks.is_empty() {
            if stream.ending == Ending::Silent {
                return Poll::Pending;
            }
            let error = stream.ending.error();
            stream.ending = Ending::Proper;
            return Poll::Ready(error.map(Err));
        }
        if !stream.pause.is_zero() {
            let sleep = stream.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep(stream.pause)));
            if sleep.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            stream.sleep = None;
        }
        Poll::Ready(stream.chunks.pop_front().map(Ok))
    }
}
