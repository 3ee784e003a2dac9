//! `WebLimits`: maximum sizes and durations of a fetch.

use std::time::Duration;

/// Maximum sizes and durations of a fetch.
///
/// ```
/// use std::time::Duration;
/// use windlass_tools_web::WebLimits;
/// let limits = WebLimits::default().with_total(Duration::from_secs(5));
/// assert_eq!(limits.wire_bytes, 5_000_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WebLimits {
    /// Timeout for a connection: 10 s.
    pub connect: Duration,
    /// Timeout for the complete fetch, redirects included: 30 s.
    pub total: Duration,
    /// Maximum size of a body on the wire, in bytes: 5 MB.
    pub wire_bytes: usize,
    /// Maximum size of a body after decompression, in bytes: 20 MB.
    pub decoded_bytes: usize,
    /// Maximum size of the text of a page, in bytes: 4 MB.
    pub text_bytes: usize,
    /// Maximum number of redirects: 5.
    pub redirects: usize,
}

impl Default for WebLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(30),
            wire_bytes: 5_000_000,
            decoded_bytes: 20_000_000,
            text_bytes: 4_000_000,
            redirects: 5,
        }
    }
}

impl WebLimits {
    /// Sets the timeout for a connection.
    pub fn with_connect(mut self, connect: Duration) -> Self {
        self.connect = connect;
        self
    }

    /// Sets the timeout for the complete fetch.
    pub fn with_total(mut self, total: Duration) -> Self {
        self.total = total;
        self
    }

    /// Sets the maximum size of a body on the wire.
    pub fn with_wire_bytes(mut self, bytes: usize) -> Self {
        self.wire_bytes = bytes;
        self
    }

    /// Sets the maximum size of a body after decompression.
    pub fn with_decoded_bytes(mut self, bytes: usize) -> Self {
        self.decoded_bytes = bytes;
        self
    }

    /// Sets the maximum size of the text of a page.
    pub fn with_text_bytes(mut self, bytes: usize) -> Self {
        self.text_bytes = bytes;
        self
    }

    /// Sets the maximum number of redirects.
    pub fn with_redirects(mut self, redirects: usize) -> Self {
        self.redirects = redirects;
        self
    }
}
