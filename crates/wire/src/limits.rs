//! Limits on the size of one response.

/// Limits on the size of one response (RULES S16). The defaults are far above the sizes of real responses.
///
/// ```
/// let limits = windlass_wire::WireLimits { event_bytes: 1 << 20, ..windlass_wire::WireLimits::default() };
/// assert_eq!(limits.event_bytes, 1_048_576);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..WireLimits::default()`")]
pub struct WireLimits {
    /// The maximum number of bytes in one event or line.
    pub event_bytes: usize,
    /// The maximum number of bytes in a body that is not streamed.
    pub body_bytes: usize,
    /// The maximum number of events in one response.
    pub events: usize,
}

impl Default for WireLimits {
    fn default() -> Self {
        Self { event_bytes: 16 << 20, body_bytes: 64 << 20, events: 4_000_000 }
    }
}
