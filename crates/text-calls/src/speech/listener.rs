//! Hears the calls in an answer of words.

use windlass_protocol::{Request, ToolSpec};
use windlass_stream::{Chunk, FreeText};

use crate::{Dialect, Options, Reasoning, Scanner};

/// Hears the calls in one answer of words: chunks in, the chunks of a provider with tool calls out.
///
/// Made by [`Speech::listener`](crate::Speech::listener).
#[derive(Debug)]
pub struct Listener {
    scanner: Scanner,
    free_text: FreeText,
    heard: Vec<Chunk>,
}

impl Listener {
    /// `turn` is the number of answers so far. X4: the same conversation gives the same ids again, and each turn its
    /// own.
    pub(super) fn new(dialect: Dialect, request: &Request, turn: usize) -> Self {
        let options = Options::default()
            .with_dialect(dialect)
            .with_tools(request.tools.iter().map(ToolSpec::as_function))
            .with_reasoning(Reasoning::Split)
            .with_id_prefix(format!("text_{turn}"));
        let free_text = FreeText::of(&request.tools);
        Self { scanner: Scanner::new(options), free_text, heard: Vec::new() }
    }

    /// Takes the next chunk of the answer and adds what it means to `out`.
    pub fn push(&mut self, chunk: Chunk, out: &mut Vec<Chunk>) {
        self.scanner.push_chunk(chunk, &mut self.heard);
        self.hand_on(out);
    }

    /// Ends the answer: what was held is released.
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
