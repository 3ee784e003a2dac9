//! Events and other signals of a stream.

/// An event, borrowed from the pushed bytes if it is contiguous.
///
/// Invalid UTF-8 is replaced by U+FFFD, as the event-stream format requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The type: the value of the last `event` field, or `message`.
    pub event: &'a str,
    /// The `data` lines, joined by line feeds.
    pub data: &'a str,
    /// WHATWG's last event ID: the last `id` field of this event or of an earlier one; empty if the stream
    /// did not send one.
    pub id: &'a str,
}

/// An event, a comment or a `retry` field of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signal<'a> {
    /// An event.
    Event(Event<'a>),
    /// A comment line without its colon. Servers send comments as keep-alive.
    Comment(&'a str),
    /// A `retry` field: the reconnection time in milliseconds.
    Retry(u64),
}

/// The state in which a stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// No event and no line was unfinished.
    Clean,
    /// An event or a line was unfinished and was discarded, or the parser had failed.
    Cut,
}
