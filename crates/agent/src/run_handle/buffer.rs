//! The numbered events of a run, with adjacent pieces of text joined.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use windlass_loop::Event;
use windlass_protocol::CallId;

/// The share of the buffer's bytes that joined pieces can have, so that dropping the oldest ones leaves most of the
/// buffer.
const PIECES: usize = 8;
/// The bytes that a piece counts in addition to its text: the position of its end.
const PIECE_BYTES: usize = size_of::<u32>();
/// The bytes that an entry counts in addition to its text.
const ENTRY_BYTES: usize = 128;

/// An event of a run with its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NumberedEvent {
    /// The number of the event, from 1. If events were joined, it is the number of the last one.
    pub number: u64,
    /// The number of earlier events whose text is joined into this one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub merged: u64,
    /// The number of events before this one that the buffer has dropped: pieces of text, reasoning, arguments and
    /// progress, previews, and fill levels of the context.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missing: u64,
    /// The event.
    pub event: Event,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Limits on the buffered events that can be dropped: pieces of text, reasoning, arguments and progress, previews, and
/// fill levels. Above a limit, the oldest are dropped, and the next event has their number. All other events are kept;
/// the limits of the run bound their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventBufferLimits {
    /// Maximum number of buffered pieces, after adjacent ones were joined. 4,096 by default.
    pub pieces: usize,
    /// Maximum bytes of buffered pieces. 4 MiB by default.
    pub bytes: usize,
}

impl Default for EventBufferLimits {
    fn default() -> Self {
        Self { pieces: 4096, bytes: 4 << 20 }
    }
}

impl EventBufferLimits {
    /// Sets the maximum number of buffered pieces.
    pub fn with_pieces(mut self, pieces: usize) -> Self {
        self.pieces = pieces;
        self
    }

    /// Sets the maximum bytes of buffered pieces.
    pub fn with_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }
}

/// The events of a run. A push and a read take logarithmic time and time linear in the text that they copy.
#[derive(Debug)]
pub(crate) struct EventBuffer {
    limits: EventBufferLimits,
    /// The entries by the number of their first event, without a gap in the numbers.
    entries: BTreeMap<u64, Entry>,
    /// The keys in `entries` of the entries that can be dropped, oldest first.
    droppable: VecDeque<u64>,
    /// The bytes of the entries that can be dropped.
    bytes: usize,
    count: u64,
}

#[derive(Debug)]
enum Entry {
    Event(Box<Event>),
    Pieces(Pieces),
    /// Dropped events, up to this number.
    Gap {
        last: u64,
    },
}

/// Adjacent pieces of one text.
#[derive(Debug)]
struct Pieces {
    source: Source,
    text: String,
    /// The end of each piece in the text.
    ends: Vec<u32>,
}

/// The text to which a piece belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    Text,
    Reasoning,
    Arguments(CallId),
    Progress(CallId),
}

impl EventBuffer {
    pub(crate) fn new(limits: EventBufferLimits) -> Self {
        Self { limits, entries: BTreeMap::new(), droppable: VecDeque::new(), bytes: 0, count: 0 }
    }

    /// Returns the number of events, dropped ones included.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Appends an event.
    pub(crate) fn push(&mut self, event: Event) {
        self.count = self.count.saturating_add(1);
        if let Some((source, text)) = to_piece(&event) {
            self.push_piece(source, text);
        } else {
            let size = droppable_size(&event);
            self.insert(Entry::Event(Box::new(event)), size);
        }
        self.drop_oldest();
    }

    /// Inserts an entry, with its size if it can be dropped.
    fn insert(&mut self, entry: Entry, size: Option<usize>) {
        if let Some(size) = size {
            self.droppable.push_back(self.count);
            self.bytes = self.bytes.saturating_add(size);
        }
        self.entries.insert(self.count, entry);
    }

    fn push_piece(&mut self, source: Source, text: &str) {
        let longest = self.limits.bytes.checked_div(PIECES).unwrap_or(0).min(1 << 30);
        if let Some(mut last) = self.entries.last_entry()
            && let Entry::Pieces(pieces) = last.get_mut()
            && pieces.source == source
            && pieces.size().saturating_add(text.len()) <= longest
        {
            self.bytes = self.bytes.saturating_add(text.len()).saturating_add(PIECE_BYTES);
            pieces.push(text);
            return;
        }
        let mut pieces = Pieces { source, text: String::new(), ends: Vec::new() };
        pieces.push(text);
        let size = pieces.size();
        self.insert(Entry::Pieces(pieces), Some(size));
    }

    /// Drops the oldest entries above the limits, but not the newest one.
    fn drop_oldest(&mut self) {
        while self.droppable.len() > 1
            && (self.bytes > self.limits.bytes || self.droppable.len() > self.limits.pieces)
        {
            let Some(first) = self.droppable.pop_front() else { return };
            let Some(entry) = self.entries.remove(&first) else { return };
            let (size, last) = match &entry {
                Entry::Pieces(pieces) => (pieces.size(), pieces.last(first)),
                Entry::Event(event) => (droppable_size(event).unwrap_or(0), first),
                Entry::Gap { last } => (0, *last),
            };
            self.bytes = self.bytes.saturating_sub(size);
            match self.entries.range_mut(..first).next_back() {
                Some((_, Entry::Gap { last: end })) => *end = last,
                _ => drop(self.entries.insert(first, Entry::Gap { last })),
            }
        }
    }

    /// Returns the first event from a number on, with the pieces of its text that follow. Returns `None` if it has not
    /// happened.
    pub(crate) fn read(&self, from: u64) -> Option<NumberedEvent> {
        let (mut number, mut missing) = (from, 0_u64);
        while number <= self.count {
            let (first, entry) = self.entries.range(..=number).next_back()?;
            match entry {
                Entry::Event(event) => {
                    return Some(NumberedEvent { number, merged: 0, missing, event: (**event).clone() });
                }
                Entry::Pieces(pieces) => {
                    let last = pieces.last(*first);
                    let event = pieces.event_from(number.saturating_sub(*first));
                    return Some(NumberedEvent {
                        number: last,
                        merged: last.saturating_sub(number),
                        missing,
                        event,
                    });
                }
                Entry::Gap { last } => {
                    missing = missing.saturating_add(last.saturating_sub(number)).saturating_add(1);
                    number = last.saturating_add(1);
                }
            }
        }
        None
    }
}

impl Pieces {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    fn size(&self) -> usize {
        let ends = self.ends.len().saturating_mul(PIECE_BYTES);
        self.text.len().saturating_add(ends).saturating_add(ENTRY_BYTES)
    }

    /// Returns the number of the last piece.
    fn last(&self, first: u64) -> u64 {
        first.saturating_add(self.ends.len() as u64).saturating_sub(1)
    }

    /// Returns the event of the pieces from an index on.
    fn event_from(&self, index: u64) -> Event {
        let before = usize::try_from(index).ok().and_then(|index| index.checked_sub(1));
        let start = before.and_then(|piece| self.ends.get(piece)).copied().unwrap_or(0);
        let text = self.text.get(usize::try_from(start).unwrap_or(0)..).unwrap_or_default().to_owned();
        match &self.source {
            Source::Text => Event::Text { text },
            Source::Reasoning => Event::Reasoning { text },
            Source::Arguments(call) => Event::CallArguments { call: call.clone(), delta: text },
            Source::Progress(call) => Event::CallProgress { call: call.clone(), text },
        }
    }
}

/// Returns the piece of text in an event, or `None` if it is of another kind.
fn to_piece(event: &Event) -> Option<(Source, &str)> {
    match event {
        Event::Text { text } => Some((Source::Text, text)),
        Event::Reasoning { text } => Some((Source::Reasoning, text)),
        Event::CallArguments { call, delta } => Some((Source::Arguments(call.clone()), delta)),
        Event::CallProgress { call, text } => Some((Source::Progress(call.clone()), text)),
        _ => None,
    }
}

/// Returns the bytes of an event that can be dropped, or `None` if it cannot: it is for display only, and later events
/// replace or contain it.
fn droppable_size(event: &Event) -> Option<usize> {
    Some(display_bytes(event)?.saturating_add(ENTRY_BYTES))
}

/// Returns the bytes of the text of an event that is for display only. Pieces of a sub-agent are not joined.
fn display_bytes(event: &Event) -> Option<usize> {
    match event {
        Event::CallPreview { text, .. } | Event::CallNote { text, .. } => Some(text.len()),
        Event::ContextFilling { .. } => Some(0),
        Event::AgentEvent { happened, .. } => {
            let nested = Event::deserialize(happened).ok()?;
            to_piece(&nested).map(|(_, text)| text.len()).or_else(|| display_bytes(&nested))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
