//! `Limits`: how much and how long.

use std::time::Duration;

/// How much a fetch takes in and how long it lasts at most.
///
/// ```
/// use std::time::Duration;
/// use windlass_tools_web::Limits;
/// let limits = Limits::default().with_total(Duration::from_secs(5));
/// assert_eq!(limits.wire_bytes, 5_000_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How long it may take until a connection stands: 10 s.
    pub connect: Duration,
    /// How long all of it may take, redirects included: 30 s.
    pub total: Duration,
    /// The most bytes of a body as it is sent: 5 MB.
    pub wire_bytes: usize,
    /// The most bytes of a body after decompression: 20 MB.
    pub decoded_bytes: usize,
    /// The most bytes of text that a page is turned into: 4 MB.
    pub text_bytes: usize,
    /// The most redirects: 5.
    pub redirects: usize,
}

impl Default for Limits {
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

impl Limits {
    /// The same limits with another time until a connection stands.
    pub fn with_connect(mut self, connect: Duration) -> Self {
        self.connect = connect;
        self
    }

    /// The same limits with another time for all of it.
    pub fn with_total(mut self, total: Duration) -> Self {
        self.total = total;
        self
    }

    /// The same limits with another size of a body as it is sent.
    pub fn with_wire_bytes(mut self, bytes: usize) -> Self {
        self.wire_bytes = bytes;
        self
    }

    /// The same limits with another size of a body after decompression.
    pub fn with_decoded_bytes(mut self, bytes: usize) -> Self {
        self.decoded_bytes = bytes;
        self
    }

    /// The same limits with another size of the text that a page is turned into.
    pub fn with_text_bytes(mut self, bytes: usize) -> Self {
        self.text_bytes = bytes;
        self
    }

    /// The same limits with another number of redirects.
    pub fn with_redirects(mut self, redirects: usize) -> Self {
        self.redirects = redirects;
        self
    }
}
