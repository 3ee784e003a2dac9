//! What a stream is cut into.

/// One event, lent out of the pushed bytes where it lies in one piece.
///
/// Invalid UTF-8 has been replaced by U+FFFD, as the event-stream format asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The type: what the last `event` field said, else `message`.
    pub event: &'a str,
    /// The `data` lines, joined by line feeds.
    pub data: &'a str,
    /// The last `id` that the stream gave, in this event or before it; empty if none.
    pub id: &'a str,
}

/// Something a stream says, events and what lies between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signal<'a> {
    /// An event.
    Event(Event<'a>),
    /// A comment line without its colon; servers send them to keep a connection alive.
    Comment(&'a str),
    /// A `retry` field: how many milliseconds to wait before connecting again.
    Retry(u64),
}

/// How a stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// After a whole event, or before any.
    Clean,
    /// Inside an event or a line, which was discarded.
    Cut,
}
