//! How much of a server is taken, and how long it is waited for.

use std::time::Duration;

/// How much of a server is taken, and how long it is waited for (RULES M2, S16). A server is a stranger: all of these
/// have a bound.
///
/// ```
/// use std::time::Duration;
/// use windlass_mcp::Limits;
/// let limits = Limits { call: Duration::from_secs(600), ..Limits::default() };
/// assert_eq!(limits.start, Duration::from_secs(10));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "written with `..Limits::default()`")]
pub struct Limits {
    /// How long a server may take to start, to introduce itself and to list its tools. By default 10 seconds, a third of
    /// what RULES M2 has: one that is silent is to be known as such within 15 (attack MCP-017).
    pub start: Duration,
    /// How long a call may take.
    pub call: Duration,
    /// How long it is at least waited before a server that ended is started again; it doubles with each time.
    pub backoff: Duration,
    /// The longest wait before it is started again.
    pub max_backoff: Duration,
    /// The longest message in bytes.
    pub frame_bytes: usize,
    /// How many pages a list of tools may have.
    pub pages: usize,
    /// How many tools a server may have.
    pub tools: usize,
    /// How long the definition of one tool may be, in bytes.
    pub tool_bytes: usize,
    /// How long the definitions of all tools may be together, in bytes.
    pub list_bytes: usize,
    /// How deep a schema may be.
    pub schema_depth: usize,
    /// How many pieces a result may have.
    pub pieces: usize,
    /// The longest picture, in bytes of base64.
    pub image_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            call: Duration::from_mins(2),
            backoff: Duration::from_millis(500),
            max_backoff: Duration::from_mins(1),
            frame_bytes: 16 * 1024 * 1024,
            pages: 32,
            tools: 512,
            tool_bytes: 64 * 1024,
            list_bytes: 2 * 1024 * 1024,
            schema_depth: 64,
            pieces: 256,
            image_bytes: 5 * 1024 * 1024,
        }
    }
}

impl Limits {
    /// For one request of a start: the start as a whole ends before, with better words.
    pub(crate) fn beyond_start(&self) -> Duration {
        self.start.saturating_mul(2)
    }

    /// How long it is waited after so many ends in a row.
    pub(crate) fn wait_after(&self, ends: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(ends.saturating_sub(1).min(16));
        self.backoff.saturating_mul(doubled).min(self.max_backoff)
    }
}
