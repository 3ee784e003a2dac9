//! How much a decoder takes before it calls a stop.

/// How much one response may hold (RULES S16). The defaults are far above what any provider sends.
///
/// ```
/// let limits = windlass_wire::Limits { event_bytes: 1 << 20, ..windlass_wire::Limits::default() };
/// assert_eq!(limits.event_bytes, 1_048_576);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..Limits::default()`")]
pub struct Limits {
    /// The most bytes of one event or line.
    pub event_bytes: usize,
    /// The most bytes of a whole body that is not streamed.
    pub body_bytes: usize,
    /// The most events of one response.
    pub events: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { event_bytes: 16 << 20, body_bytes: 64 << 20, events: 4_000_000 }
    }
}
