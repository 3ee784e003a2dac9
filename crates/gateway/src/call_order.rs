//! The calls of an answer one after another, for clients that read one item at a time.

use std::collections::{BTreeMap, VecDeque};

use windlass_stream::{CallChunk, CallKey, Chunk};

#[cfg(test)]
mod tests;

/// Holds chunks that arrive inside an open call until the call ends. Chat Completions ends all calls of an answer together, while
/// Responses and Anthropic end each item before the next one starts; pi assigns the arguments of a call that is not the last one
/// to the wrong call.
#[derive(Debug, Default)]
pub(crate) struct CallOrder {
    open: Option<CallKey>,
    waiting: VecDeque<Waiting>,
    /// The chunks of the calls that wait.
    calls: BTreeMap<CallKey, Vec<Chunk>>,
}

#[derive(Debug)]
enum Waiting {
    Call(CallKey),
    Other(Chunk),
}

impl CallOrder {
    pub(crate) fn push(&mut self, chunk: Chunk, out: &mut Vec<Chunk>) {
        let Some(open) = self.open else {
            if let Chunk::Call(CallChunk::Start { key, .. }) = &chunk {
                self.open = Some(*key);
            }
            return out.push(chunk);
        };
        match (&chunk, key_of(&chunk)) {
            (Chunk::Call(CallChunk::End { .. }), Some(key)) if key == open => {
                out.push(chunk);
                self.advance(out);
            }
            (_, Some(key)) if key == open => out.push(chunk),
            (_, Some(key)) => {
                let call = self.calls.entry(key).or_insert_with(|| {
                    self.waiting.push_back(Waiting::Call(key));
                    Vec::new()
                });
                call.push(chunk);
            }
            (Chunk::Usage { .. }, None) => out.push(chunk),
            (Chunk::Finish { .. } | Chunk::Error { .. }, None) => {
                self.release(out);
                out.push(chunk);
            }
            (_, None) => self.waiting.push_back(Waiting::Other(chunk)),
        }
    }

    /// Emits the chunks that wait, up to the next call that is open.
    fn advance(&mut self, out: &mut Vec<Chunk>) {
        self.open = None;
        while let Some(next) = self.waiting.pop_front() {
            match next {
                Waiting::Other(chunk) => out.push(chunk),
                Waiting::Call(key) => {
                    let chunks = self.calls.remove(&key).unwrap_or_default();
                    let is_whole = matches!(chunks.last(), Some(Chunk::Call(CallChunk::End { .. })));
                    out.extend(chunks);
                    if !is_whole {
                        self.open = Some(key);
                        return;
                    }
                }
            }
        }
    }

    /// Emits all chunks that wait, because the answer ends inside a call.
    fn release(&mut self, out: &mut Vec<Chunk>) {
        while self.open.is_some() {
            self.advance(out);
        }
    }
}

/// Returns the key of a call's fragment.
fn key_of(chunk: &Chunk) -> Option<CallKey> {
    match chunk {
        Chunk::Call(
            CallChunk::Start { key, .. } | CallChunk::Delta { key, .. } | CallChunk::End { key, .. },
        ) => Some(*key),
        _ => None,
    }
}
