//! The provider's count of tokens, and the id of a stored answer, read beside an answer that is forwarded byte for byte.

mod answer_id;
mod json_outline;

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::Stream;
use memchr::memmem;
use windlass_protocol::Usage;
use windlass_stream::{Chunk, ModelError};
use windlass_wire::{Framing, Wire, WireLimits};

use crate::estimate::output_tokens;
use crate::recorder::Recorder;
use crate::relay::RelayBody;
use answer_id::{read_id_of_body, read_id_of_event};
use json_outline::JsonOutline;

/// Bytes of an event that are held. A longer event, which has the whole answer, is held as an outline.
const EVENT_BYTES: usize = 64 << 10;
/// Bytes of an event around the text of a token or more.
const AROUND_EVENT: usize = 300;

/// The beginning of a field with a count. Its searcher is prepared once, and not for each event.
static USAGE: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(b"\"usage"));

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
    /// The estimate of the output tokens. The recorder gets it at the end, and not for each piece.
    output: u64,
}

enum Scan {
    Events(EventScan),
    Whole(JsonOutline),
    Ended,
}

/// The events of a stream.
#[derive(Default)]
struct EventScan {
    /// The event that arrives, or the lines before the data of a long one.
    event: Vec<u8>,
    /// The data of a long event.
    data: Option<JsonOutline>,
    /// The bytes of the event.
    bytes: usize,
    /// The bytes of its current line.
    line: usize,
    /// True if its current line is `\r` up to now.
    is_return: bool,
    first: Option<Vec<u8>>,
    last: Option<Vec<u8>>,
    /// True until the first event with data, if the id of the answer is read.
    reads_id: bool,
    id: Option<String>,
}

impl CountedBody {
    pub(crate) fn new(
        body: RelayBody,
        wire: Arc<dyn Wire>,
        framing: Framing,
        recorder: Arc<Recorder>,
    ) -> Self {
        let scan = match framing {
            Framing::Events => {
                Scan::Events(EventScan { reads_id: recorder.keeps_ids(), ..EventScan::default() })
            }
            _ => Scan::Whole(JsonOutline::default()),
        };
        Self { body, reader: UsageReader { wire, recorder, scan, output: 0 } }
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
                self.output = self.output.saturating_add(events.push(bytes));
                // Another request can name the answer while it is streamed.
                if let Some(id) = events.id.take() {
                    self.recorder.keep_id(&id);
                }
            }
            Scan::Whole(outline) => outline.push(bytes),
            Scan::Ended => {}
        }
    }

    fn finish(&mut self) {
        let usage = match std::mem::replace(&mut self.scan, Scan::Ended) {
            Scan::Events(events) => self.decode_events(events),
            Scan::Whole(outline) => outline.finish().and_then(|body| {
                if self.recorder.keeps_ids()
                    && let Some(id) = read_id_of_body(&body)
                {
                    self.recorder.keep_id(&id);
                }
                let mut chunks = Vec::new();
                // A body that is not the format's has no count.
                drop(self.wire.decode_whole(&body, WireLimits::default(), &mut chunks));
                find_usage(&chunks)
            }),
            Scan::Ended => None,
        };
        self.recorder.add_output(std::mem::take(&mut self.output));
        if let Some(usage) = usage {
            self.recorder.count(usage);
        }
    }

    fn decode_events(&self, events: EventScan) -> Option<Usage> {
        let mut decoder = self.wire.decoder(WireLimits::default());
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
            let is_split = std::mem::take(&mut self.is_return) && line == b"\n";
            self.line = 0;
            if is_empty || is_split {
                tokens = tokens.saturating_add(self.end_event());
            }
            rest = after;
        }
        self.append(rest);
        if !rest.is_empty() {
            self.is_return = self.line == 0 && rest == b"\r";
            self.line = self.line.saturating_add(rest.len());
        }
        tokens
    }

    fn append(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if let Some(data) = &mut self.data {
            return data.push(bytes);
        }
        self.event.extend_from_slice(bytes);
        if self.event.len() > EVENT_BYTES {
            // The data of a long event are one line, which ends the event.
            let start =
                memmem::find(&self.event, b"data:").map_or(self.event.len(), |at| at.saturating_add(5));
            let mut data = JsonOutline::default();
            data.push(self.event.get(start..).unwrap_or_default());
            self.event.truncate(start);
            self.data = Some(data);
        }
    }

    fn end_event(&mut self) -> u64 {
        let tokens = match std::mem::take(&mut self.bytes) {
            0..=4 => 0,
            bytes => output_tokens(bytes.saturating_sub(AROUND_EVENT)).max(1),
        };
        if let Some(data) = self.data.take() {
            self.event.extend(data.finish().unwrap_or_default());
            self.event.extend_from_slice(b"\n\n");
        }
        if self.reads_id && memmem::find(&self.event, b"data:").is_some() {
            self.reads_id = false;
            self.id = read_id_of_event(&self.event);
        }
        if has_usage(&self.event) {
            let event = std::mem::take(&mut self.event);
            match self.first {
                None => self.first = Some(event),
                Some(_) => self.last = Some(event),
            }
        }
        self.event.clear();
        tokens
    }
}

/// Returns true if an event has a field with a count that is not `null`. A quotation mark in a text has a backslash.
fn has_usage(event: &[u8]) -> bool {
    USAGE.find_iter(event).any(|start| {
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
