//! Translates events to chunks.

mod message;

use serde_json::Value;
use serde_json::value::RawValue;
use windlass_protocol::Unknown;
use windlass_stream::{CallKey, Chunk};
use windlass_wire::{DecodeError, EventReader, Template, WireLimits, replace_lone_surrogates};

use crate::block::OpenBlock;
use crate::event::Event;
use crate::message_state::MessageState;
use crate::names::NAME;
use crate::shape::{self, Shape};

/// The state of reading one response's events (RULES S13).
#[derive(Debug, Default)]
pub(crate) struct Reader {
    template: Template<Shape>,
    /// The open blocks with the provider's index. Only a server that violates the protocol has more than one
    /// open.
    open: Vec<(u64, OpenBlock)>,
    /// The number of blocks in the whole body, used as the next call key. It is not reset by a second
    /// message, so keys are unique.
    blocks: u64,
    message: MessageState,
}

impl EventReader for Reader {
    const WIRE: &'static str = NAME;

    fn read_event(&mut self, json: &str, number: usize, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        if let Some((shape, text)) = self.template.read(json)
            && let Some(block) = open_block(&mut self.open, shape.index)
            && block.push_text(shape.field, text, chunks)
        {
            return Ok(());
        }
        match serde_json::from_str::<Event<'_>>(json) {
            Ok(event) => {
                // Serde does not look into raw parts, so a lone surrogate in one would be found only when it
                // is parsed later.
                if event.has_raw_parts()
                    && let Some(repaired) = replace_lone_surrogates(json)
                {
                    return self.read_event(&repaired, number, chunks);
                }
                if let Some((shape, text)) = Shape::from_event(&event) {
                    self.template.learn(json, text, shape);
                }
                self.take(json, event, chunks);
            }
            Err(error) if error.is_data() => unknown(json, chunks),
            Err(error) => match replace_lone_surrogates(json) {
                Some(repaired) => return self.read_event(&repaired, number, chunks),
                None => return Err(DecodeError::Json { event: number, source: error }),
            },
        }
        Ok(())
    }

    fn finish(&mut self, chunks: &mut Vec<Chunk>) {
        self.abandon(chunks);
    }

    fn decode_whole(body: &[u8], limits: WireLimits, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        Self::decode_body(body, limits, chunks)
    }
}

impl Reader {
    fn take(&mut self, json: &str, event: Event<'_>, chunks: &mut Vec<Chunk>) {
        match event.kind.0.as_ref() {
            shape::DELTA => self.delta(json, event, chunks),
            "content_block_start" => {
                if let Some(block) = event.content_block {
                    self.start(event.index.unwrap_or(self.blocks), block, chunks);
                }
            }
            "content_block_stop" => self.stop_block(event.index, chunks),
            "message_start" => {
                self.abandon(chunks);
                self.message.begin();
                if let Some(message) = event.message {
                    self.message_start(message, chunks);
                }
            }
            "message_delta" => self.message_delta(&event, chunks),
            "message_stop" => self.message.end(chunks),
            "ping" => {}
            "error" => self.message.fail(event.error, chunks),
            // A gateway may insert an error object of its own form into the stream.
            _ if event.error.is_some() => self.message.fail(event.error, chunks),
            _ => unknown(json, chunks),
        }
    }

    fn start(&mut self, index: u64, block: &RawValue, chunks: &mut Vec<Chunk>) {
        let key = CallKey(self.blocks);
        self.blocks = self.blocks.saturating_add(1);
        self.message.mark_begun();
        if let Some(at) = self.open.iter().position(|(open, _)| *open == index) {
            // The previous block with this index was never ended.
            self.open.swap_remove(at).1.abandon(chunks);
        }
        match OpenBlock::open(block, key, chunks) {
            Some(block) => self.open.push((index, block)),
            None => unknown(block.get(), chunks),
        }
    }

    fn delta(&mut self, json: &str, event: Event<'_>, chunks: &mut Vec<Chunk>) {
        let open = open_block(&mut self.open, event.index);
        let Some(mut delta) = event.delta else { return unknown(json, chunks) };
        let Some(block) = open else { return unknown(json, chunks) };
        if !block.push(&mut delta, chunks) && !merge(block, json) {
            unknown(json, chunks);
        }
    }

    /// Ends all open blocks, because the bytes have ended or another message begins.
    fn abandon(&mut self, chunks: &mut Vec<Chunk>) {
        for (_, block) in self.open.drain(..) {
            block.abandon(chunks);
        }
    }

    fn stop_block(&mut self, index: Option<u64>, chunks: &mut Vec<Chunk>) {
        let at = match index {
            Some(index) => self.open.iter().position(|(open, _)| *open == index),
            None => self.open.len().checked_sub(1),
        };
        if let Some(at) = at {
            self.open.remove(at).1.close(chunks);
        }
    }
}

/// Returns the open block with this index, or the last open block if the event has no index.
fn open_block(open: &mut [(u64, OpenBlock)], index: Option<u64>) -> Option<&mut OpenBlock> {
    let found = match index {
        Some(index) => open.iter_mut().find(|(open, _)| *open == index),
        None => open.last_mut(),
    };
    found.map(|(_, block)| block)
}

/// Applies a delta of unknown type to a block of unknown type. Returns `false` if that is not possible.
fn merge(block: &mut OpenBlock, json: &str) -> bool {
    let Ok(Value::Object(mut event)) = serde_json::from_str(json) else { return false };
    match event.remove("delta") {
        Some(Value::Object(delta)) => block.merge(delta),
        _ => false,
    }
}

fn unknown(json: &str, chunks: &mut Vec<Chunk>) {
    if let Ok(value) = serde_json::from_str(json) {
        chunks.push(Chunk::Unknown(Unknown::new(NAME, value)));
    }
}
