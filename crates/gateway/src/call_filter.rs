//! The bound of one call in an answer, for a client that takes one at a time and a format without a switch for it.

use windlass_stream::{CallChunk, CallKey, Chunk};

/// The filter of an answer's calls.
#[derive(Debug, Default)]
pub(crate) struct CallFilter {
    is_single: bool,
    /// The first call, once it has begun.
    first: Option<FirstCall>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstCall {
    Streamed(CallKey),
    Whole,
}

impl CallFilter {
    /// Creates a filter that drops all calls after the first one if `is_single` is true.
    pub(crate) fn new(is_single: bool) -> Self {
        Self { is_single, first: None }
    }

    /// Returns whether the client receives a chunk.
    pub(crate) fn permits(&mut self, chunk: &Chunk) -> bool {
        let Chunk::Call(call) = chunk else { return true };
        if !self.is_single {
            return true;
        }
        let key = match call {
            CallChunk::Start { key, .. } | CallChunk::Delta { key, .. } | CallChunk::End { key, .. } => {
                FirstCall::Streamed(*key)
            }
            // Calls in one piece come without a key.
            CallChunk::Whole { .. } => {
                let is_first = self.first.is_none();
                self.first.get_or_insert(FirstCall::Whole);
                return is_first;
            }
            _ => return true,
        };
        *self.first.get_or_insert(key) == key
    }
}
