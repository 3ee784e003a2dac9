//! Limits on a server's output, and timeouts.

use std::time::Duration;

/// Limits on a server's output, and timeouts (RULES M2, S16). Servers are untrusted, so each of these values
/// has a bound.
///
/// ```
/// use std::time::Duration;
/// use windlass_mcp::McpLimits;
/// let limits = McpLimits { call: Duration::from_secs(600), ..McpLimits::default() };
/// assert_eq!(limits.start, Duration::from_secs(10));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "written with `..McpLimits::default()`")]
pub struct McpLimits {
    /// Time in which a server must start, complete the handshake and list its tools. The default is 10
    /// seconds, a third of the value in RULES M2, so that a silent server is reported within 15 seconds
    /// (attack MCP-017).
    pub start: Duration,
    /// Timeout of a call. Progress messages extend it.
    pub call: Duration,
    /// Shortest delay before a server that ended is started again. It doubles with each consecutive end.
    pub backoff: Duration,
    /// Longest delay before a server is started again.
    pub max_backoff: Duration,
    /// Maximum length of a message in bytes.
    pub frame_bytes: usize,
    /// Maximum number of pages of a list.
    pub pages: usize,
    /// Maximum number of tools, and of members of each other list.
    pub tools: usize,
    /// Maximum length of one tool's definition in bytes.
    pub tool_bytes: usize,
    /// Maximum length of all members of a list together, in bytes.
    pub list_bytes: usize,
    /// Maximum nesting depth of a tool's definition, and of a structured result.
    pub schema_depth: usize,
    /// Maximum number of content items of a result, and of messages or parts of a prompt or a resource.
    pub pieces: usize,
    /// Maximum length of a picture in bytes of base64.
    pub image_bytes: usize,
}

impl Default for McpLimits {
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

impl McpLimits {
    /// Timeout of one request during a start: twice `start`, so that the timeout of the whole start, which
    /// has the more precise error, fires first.
    pub(crate) fn start_request_timeout(&self) -> Duration {
        self.start.saturating_mul(2)
    }

    /// Returns the delay before the next start, after this number of consecutive ends.
    pub(crate) fn wait_after(&self, ends: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(ends.saturating_sub(1).min(16));
        self.backoff.saturating_mul(doubled).min(self.max_backoff)
    }
}
