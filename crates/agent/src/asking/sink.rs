//! The receiver of an answer's chunks: the machine, or a buffer until hooks have seen the text.

use tokio::sync::mpsc;
use windlass_loop::{Input, StreamFailure};
use windlass_protocol::Usage;
use windlass_stream::Chunk;

/// The maximum size of an answer that is held back, in bytes of text and arguments, and chunks of 64 bytes.
const HELD_BYTES: usize = 16 * 1024 * 1024;

/// The receiver of an answer's chunks.
pub(super) struct Sink<'a> {
    pieces: &'a mpsc::Sender<Vec<Input>>,
    /// The chunks that are held back; `None` if they are forwarded.
    held: Option<Vec<Chunk>>,
    bytes: usize,
    /// The newest count of tokens.
    pub(super) usage: Usage,
}

impl<'a> Sink<'a> {
    /// Creates a sink that forwards each chunk.
    pub(super) fn new(pieces: &'a mpsc::Sender<Vec<Input>>) -> Self {
        Self { pieces, held: None, bytes: 0, usage: Usage::default() }
    }

    /// Holds the chunks back.
    pub(super) fn hold(mut self) -> Self {
        self.held = Some(Vec::new());
        self
    }

    /// Takes the chunks of a batch. Returns `false` if the receiver is gone.
    pub(super) async fn take(&mut self, heard: &mut Vec<Chunk>) -> Result<bool, StreamFailure> {
        if heard.is_empty() {
            return Ok(true);
        }
        for chunk in heard.iter() {
            if let Chunk::Usage { usage } = chunk {
                self.usage = *usage;
            }
        }
        let Some(held) = &mut self.held else { return Ok(self.send(std::mem::take(heard)).await) };
        for chunk in heard.drain(..) {
            self.bytes = self.bytes.saturating_add(size(&chunk));
            held.push(chunk);
        }
        if self.bytes > HELD_BYTES {
            let text = "the answer is longer than a hook can hold back";
            return Err(StreamFailure::new(text, false));
        }
        Ok(!self.pieces.is_closed())
    }

    /// Returns the chunks that were held back.
    pub(super) fn take_held(&mut self) -> Option<Vec<Chunk>> {
        self.held.take()
    }

    /// Forwards chunks. Returns `false` if the receiver is gone.
    pub(super) async fn send(&self, chunks: Vec<Chunk>) -> bool {
        self.pieces.send(chunks.into_iter().map(Input::Chunk).collect()).await.is_ok()
    }
}

fn size(chunk: &Chunk) -> usize {
    let text = match chunk {
        Chunk::Text { text } | Chunk::Reasoning { text } => text.len(),
        // Calls and unknown chunks are counted as their JSON would be.
        Chunk::Call(_) | Chunk::Grounding { .. } | Chunk::Unknown(_) => {
            serde_json::to_vec(chunk).map_or(0, |json| json.len())
        }
        _ => 0,
    };
    text.saturating_add(64)
}
