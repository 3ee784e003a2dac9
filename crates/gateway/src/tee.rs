//! A decoded copy of an answer that is forwarded byte for byte.

use std::fmt;
use std::sync::Arc;

use windlass_stream::Chunk;
use windlass_wire::{Decoder, Framing, Wire, WireLimits};

use crate::hook::Observer;

/// The maximum number of bytes of a whole answer that is decoded for observers.
const WHOLE_BYTES: usize = 32 << 20;

/// Decodes bytes for observers. An answer that cannot be decoded has no further chunks for them.
pub(crate) struct Tee {
    observers: Vec<Box<dyn Observer>>,
    reading: BodyReader,
}

enum BodyReader {
    Stream(Box<dyn Decoder>),
    Whole { wire: Arc<dyn Wire>, body: Vec<u8> },
    Stopped,
}

impl Tee {
    pub(crate) fn new(observers: Vec<Box<dyn Observer>>, wire: Arc<dyn Wire>, framing: Framing) -> Self {
        let reading = match framing {
            Framing::Events => BodyReader::Stream(wire.decoder(WireLimits::default())),
            _ => BodyReader::Whole { wire, body: Vec::new() },
        };
        Self { observers, reading }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let mut chunks = Vec::new();
        let failed = match &mut self.reading {
            BodyReader::Stream(decoder) => decoder.push(bytes, &mut chunks).is_err(),
            BodyReader::Whole { body, .. } => {
                body.extend_from_slice(bytes);
                body.len() > WHOLE_BYTES
            }
            BodyReader::Stopped => false,
        };
        if failed {
            self.reading = BodyReader::Stopped;
        }
        self.observe(&chunks);
    }

    pub(crate) fn finish(&mut self) {
        let mut chunks = Vec::new();
        match std::mem::replace(&mut self.reading, BodyReader::Stopped) {
            BodyReader::Stream(mut decoder) => drop(decoder.finish(&mut chunks)),
            BodyReader::Whole { wire, body } => {
                drop(wire.decode_whole(&body, WireLimits::default(), &mut chunks));
            }
            BodyReader::Stopped => {}
        }
        self.observe(&chunks);
    }

    fn observe(&mut self, chunks: &[Chunk]) {
        for chunk in chunks {
            self.observers.iter_mut().for_each(|observer| observer.observe(chunk));
        }
    }
}

impl fmt::Debug for Tee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tee").field("observers", &self.observers.len()).finish_non_exhaustive()
    }
}
