//! The provider's count of tokens, read beside an answer that is forwarded byte for byte.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::Stream;
use memchr::memmem;
use windlass_protocol::Usage;
use windlass_stream::{Chunk, ModelError};
use windlass_wire::{Framing, Limits, Wire};

use crate::estimate::output_tokens;
use crate::recorder::Recorder;
use crate::relay::RelayBody;

/// Maximum bytes of one event that is searched for a count.
const EVENT_BYTES: usize = 16 << 20;
/// Maximum bytes of a whole answer that is searched for a count.
const WHOLE_BYTES: usize = 32 << 20;
/// Bytes of an event around the text of a token or more.
const AROUND_EVENT: usize = 300;

/// A body that passes unchanged, while its count is read.
pub(crate) struct CountedBody {
    body: RelayBody,
    reader: UsageReader,
}

/// A reader of the count in an answer. Only the first and the last event with a count are decoded: one format splits its
/// count between them, and the others repeat it.
struct UsageReader {
    wire: Arc<dyn Wire>,
    recorder: Arc<Recorder>,
    scan: Scan,
}

enum Scan {
    Events(EventScan),
    Whole { pieces: Vec<Bytes>, bytes: usize },
    Ended,
}

/// The events of a stream.
#[derive(Default)]
struct EventScan {
    /// The event that arrives.
    event: Vec<u8>,
    /// The bytes of its current line.
    line: usize,
    is_too_long: bool,
    first: Option<Vec<u8>>,
    last: Option<Vec<u8>>,
}

impl CountedBody {
    pub(crate) fn new(
        body: RelayBody,
        wire: Arc<dyn Wire>,
        framing: Framing,
        recorder: Arc<Recorder>,
    ) -> Self {
        let scan = match framing {
            Framing::Events => Scan::Events(EventScan::default()),
            _ => Scan::Whole { pieces: Vec::new(), bytes: 0 },
        };
        Self { body, reader: UsageReader { wire, recorder, scan } }
    }
}

impl Stream for CountedBody {
    type Item = Result<Bytes, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.body.as_mut().poll_next(cx));
        match &next {
            Some(Ok(bytes)) => self.reader.push(bytes),
            Some(Err(_)) => {}
            None => self.reader.finish(),
        }
        Poll::Ready(next)
    }
}

impl UsageReader {
    fn push(&mut self, bytes: &Bytes) {
        match &mut self.scan {
            Scan::Events(events) => {
                let tokens = events.push(bytes);
                self.recorder.add_output(tokens);
            }
            Scan::Whole { pieces, bytes: sum } => {
                *sum = sum.saturating_add(bytes.len());
                pieces.push(bytes.clone());
                if *sum > WHOLE_BYTES {
                    self.scan = Scan::Ended;
                }
            }
            Scan::Ended => {}
        }
    }

    fn finish(&mut self) {
        let usage = match std::mem::replace(&mut self.scan, Scan::Ended) {
            Scan::Events(events) => self.decode_events(events),
            Scan::Whole { pieces, .. } => {
                let mut chunks = Vec::new();
                // A body that is not the format's has no count.
                drop(self.wire.decode_whole(&pieces.concat(), Limits::default(), &mut chunks));
                find_usage(&chunks)
            }
            Scan::Ended => None,
        };
        if let Some(usage) = usage {
            self.recorder.count(usage);
        }
    }

    fn decode_events(&self, events: EventScan) -> Option<Usage> {
        let mut decoder = self.wire.decoder(Limits::default());
        let mut chunks = Vec::new();
        for event in [events.first, events.last].into_iter().flatten() {
            // The chunks before an error count.
            if decoder.push(&event, &mut chunks).is_err() {
                break;
            }
        }
        find_usage(&chunks)
    }
}

// A client can close the connection before the end.
impl Drop for UsageReader {
    fn drop(&mut self) {
        self.finish();
    }
}

impl EventScan {
    /// Reads the next bytes. Returns an estimate of the tokens in the events that ended.
    fn push(&mut self, bytes: &[u8]) -> u64 {
        let mut tokens: u64 = 0;
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end.saturating_add(1));
            self.append(line);
            let is_empty = self.line == 0 && matches!(line, b"\n" | b"\r\n");
            // A line can end with `\r\n` in two pieces.
            let is_split = self.line == 1 && line == b"\n" && self.event.ends_with(b"\n\r\n");
            self.line = 0;
            if is_empty || is_split {
                tokens = tokens.saturating_add(self.end_event());
            }
            rest = after;
        }
        self.append(rest);
        self.line = self.line.saturating_add(rest.len());
        tokens
    }

    fn append(&mut self, bytes: &[u8]) {
        if self.event.len().saturating_add(bytes.len()) > EVENT_BYTES {
            self.is_too_long = true;
            self.event.clear();
        }
        if !self.is_too_long {
            self.event.extend_from_slice(bytes);
        }
    }

    fn end_event(&mut self) -> u64 {
        let tokens = match self.event.len() {
            0..=4 => 0,
            bytes => output_tokens(bytes.saturating_sub(AROUND_EVENT)).max(1),
        };
        if !self.is_too_long && has_usage(&self.event) {
            let event = std::mem::take(&mut self.event);
            match self.first {
                None => self.first = Some(event),
                Some(_) => self.last = Some(event),
            }
        }
        self.is_too_long = false;
        self.event.clear();
        tokens
    }
}

/// Returns true if an event has a field with a count that is not `null`. A quotation mark in a text has a backslash.
fn has_usage(event: &[u8]) -> bool {
    memmem::find_iter(event, b"\"usage").any(|start| {
        let before = start.checked_sub(1).and_then(|place| event.get(place));
        let rest = event.get(start.saturating_add(1)..).unwrap_or_default();
        let name = memchr::memchr(b'"', rest).unwrap_or(rest.len());
        let value = rest.get(name.saturating_add(1)..).unwrap_or_default().trim_ascii_start();
        let value = value.strip_prefix(b":").unwrap_or_default().trim_ascii_start();
        before != Some(&b'\\') && !value.is_empty() && !value.starts_with(b"null")
    })
}

fn find_usage(chunks: &[Chunk]) -> Option<Usage> {
    chunks.iter().rev().find_map(|chunk| match chunk {
        Chunk::Usage { usage } => Some(*usage),
        _ => None,
    })
}

impl fmt::Debug for CountedBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountedBody").field("wire", &self.reader.wire.name()).finish_non_exhaustive()
    }
}
