//! The content of an answer, independent of its pieces.

use std::collections::BTreeMap;

use serde_json::Value;
use windlass_protocol::{StopReason, Usage};
use windlass_stream::{CallChunk, Chunk, WholeCall};

/// The parts of an answer that a gateway has to keep.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Content {
    pub(super) text: String,
    /// The names of the calls, with their arguments as JSON if they are JSON.
    pub(super) calls: Vec<(String, Result<Value, String>)>,
    pub(super) usage: Usage,
    pub(super) stop: Option<StopReason>,
}

impl Content {
    /// Collects the content of an answer.
    pub(super) fn collect(chunks: &[Chunk]) -> Self {
        let mut content = Self::default();
        let mut calls = Calls::default();
        for chunk in chunks {
            match chunk {
                Chunk::Text { text } => content.text.push_str(text),
                Chunk::Call(piece) => calls.push(piece),
                Chunk::Usage { usage } => content.usage = *usage,
                Chunk::Finish { reason, .. } => content.stop = Some(reason.clone()),
                _ => {}
            }
        }
        let parse = |text: String| serde_json::from_str(&text).map_err(|_| text);
        content.calls = calls.list.into_iter().map(|(name, text)| (name, parse(text))).collect();
        // Some formats have one stop reason for both.
        if content.stop == Some(StopReason::End) && !content.calls.is_empty() {
            content.stop = Some(StopReason::Calls);
        }
        content
    }

    /// Returns true if the stop reason is that of a complete answer.
    pub(super) fn looks_complete(&self) -> bool {
        matches!(self.stop, Some(StopReason::End | StopReason::Calls))
    }
}

/// The calls of an answer, in the order in which they begin.
#[derive(Default)]
struct Calls {
    list: Vec<(String, String)>,
    /// The positions of the calls in the list, by key or by index.
    positions: BTreeMap<(bool, u64), usize>,
}

impl Calls {
    fn push(&mut self, piece: &CallChunk) {
        match piece {
            CallChunk::Partial { index, position, name, arguments, .. } => {
                let call = self.find((false, index.unwrap_or(*position)));
                call.0.push_str(name.as_deref().unwrap_or_default());
                call.1.push_str(arguments.as_deref().unwrap_or_default());
            }
            CallChunk::Start { key, name, .. } => self.find((true, key.0)).0.push_str(name),
            CallChunk::Delta { key, arguments } => self.find((true, key.0)).1.push_str(arguments),
            CallChunk::End { key, arguments: Some(arguments) } => {
                let call = self.find((true, key.0));
                if call.1.is_empty() {
                    call.1.push_str(arguments);
                }
            }
            CallChunk::Whole { name, body, .. } => {
                let text = match body {
                    WholeCall::Arguments(text) => text.clone(),
                    WholeCall::Payload(payload) => payload.text(),
                };
                self.list.push((name.clone(), text));
            }
            _ => {}
        }
    }

    fn find(&mut self, key: (bool, u64)) -> &mut (String, String) {
        let next = self.list.len();
        let position = *self.positions.entry(key).or_insert(next);
        if position == next {
            self.list.push(Default::default());
        }
        &mut self.list[position]
    }
}
