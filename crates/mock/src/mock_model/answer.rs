//! One answer of a mock model, and its chunks.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use serde_json::Value;
use windlass_protocol::{StopReason, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk, ModelError, ModelErrorKind};

/// One part of an answer.
#[derive(Debug)]
pub(super) enum Step {
    Thinking(String),
    Text(String),
    Calls(Vec<(String, Value)>),
    Error { kind: ModelErrorKind, message: String },
}

impl Step {
    /// Returns the place of the part in an answer. A part can only follow a part with a lower place.
    fn place(&self) -> u8 {
        match self {
            Self::Thinking(_) => 1,
            Self::Text(_) => 2,
            Self::Calls(_) => 3,
            Self::Error { .. } => 4,
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
}

impl MockAnswer {
    /// Returns whether the part belongs to this answer, and not to the next one.
    pub(super) fn takes(&self, step: &Step) -> bool {
        match (self.steps.last(), step) {
            (Some(_), Step::Error { .. }) => false,
            (Some(_), _) if self.is_cut => false,
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
            _ => None,
        }
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
                Step::Error { .. } => {}
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
        MockStream { chunks: chunks.into() }
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
}

impl Stream for MockStream {
    type Item = Result<Chunk, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.chunks.pop_front().map(Ok))
    }
}
