//! Decoding of the calls in a text answer.

use windlass_protocol::{Request, ToolSpec};
use windlass_stream::{Chunk, FreeText};

use crate::{Dialect, Reasoning, Scanner, TextCallOptions};

/// Decodes the calls in one text answer: takes its chunks and emits the chunks of a provider with native tool
/// calls.
///
/// Created by [`Speech::listener`](crate::Speech::listener).
#[derive(Debug)]
pub struct Listener {
    scanner: Scanner,
    free_text: FreeText,
    heard: Vec<Chunk>,
}

impl Listener {
    /// Creates a listener. `turn` is the number of answers so far; it makes ids unique per turn and
    /// reproducible for the same conversation (RULES X4).
    pub(super) fn new(dialect: Dialect, request: &Request, turn: usize) -> Self {
        let options = TextCallOptions::default()
            .with_dialect(dialect)
            .with_tools(request.tools.iter().map(ToolSpec::as_function))
            .with_reasoning(Reasoning::Split)
            .with_id_prefix(format!("text_{turn}"));
        let free_text = FreeText::for_tools(&request.tools);
        Self { scanner: Scanner::new(options), free_text, heard: Vec::new() }
    }

    /// Decodes the next chunk of the answer and appends the resulting chunks to `out`.
    pub fn push(&mut self, chunk: Chunk, out: &mut Vec<Chunk>) {
        self.scanner.push_chunk(chunk, &mut self.heard);
        self.hand_on(out);
    }

    /// Ends the answer and emits the held text.
    pub fn finish(&mut self, out: &mut Vec<Chunk>) {
        self.scanner.finish(&mut self.heard);
        self.hand_on(out);
    }

    fn hand_on(&mut self, out: &mut Vec<Chunk>) {
        for chunk in self.heard.drain(..) {
            self.free_text.push(chunk, out);
        }
    }
}
