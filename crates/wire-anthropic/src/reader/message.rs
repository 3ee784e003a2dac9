//! Messages with their content: in the start event of a stream, or as a whole body.

use serde_json::value::RawValue;
use windlass_stream::Chunk;

use super::Reader;
use crate::event::{Event, WireMessage};

impl Reader {
    pub(super) fn message_start(&mut self, message: &RawValue, chunks: &mut Vec<Chunk>) {
        let Ok(message) = serde_json::from_str::<WireMessage<'_>>(message.get()) else { return };
        self.message.count(message.usage, chunks);
        // A proxy that builds a stream from a whole message puts all content into the start event.
        self.content(message.content, chunks);
        self.message.keep_container(message.container, chunks);
        if let Some(raw) = message.stop_reason.filter(|raw| !raw.0.is_empty()) {
            self.message.stop(&raw.0, chunks);
        }
    }

    pub(super) fn message_delta(&mut self, event: &Event<'_>, chunks: &mut Vec<Chunk>) {
        if let Some(delta) = &event.delta {
            self.message.keep_container(delta.container, chunks);
            if let Some(raw) = &delta.stop_reason {
                self.message.stop(&raw.0, chunks);
            }
        }
        self.message.count(event.usage, chunks);
    }

    /// Reads the blocks of a whole message, each with its start and its end.
    fn content(&mut self, blocks: Option<Vec<&RawValue>>, chunks: &mut Vec<Chunk>) {
        for block in blocks.into_iter().flatten() {
            let index = self.blocks;
            self.start(index, block, chunks);
            self.stop_block(Some(index), chunks);
        }
    }

    /// Reads a whole message.
    pub(crate) fn whole(&mut self, message: WireMessage<'_>, chunks: &mut Vec<Chunk>) {
        self.message.mark_begun();
        self.content(message.content, chunks);
        self.message.keep_container(message.container, chunks);
        if let Some(raw) = message.stop_reason.filter(|raw| !raw.0.is_empty()) {
            self.message.stop(&raw.0, chunks);
        }
        self.message.count(message.usage, chunks);
        self.message.end(chunks);
    }
}
