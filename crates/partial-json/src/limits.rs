//! How much a text may hold before it is refused.

/// The deepest nesting that can be asked for: a [`serde_json::Value`] is dropped by recursion, and this many
/// levels are safe on any thread.
const DEEPEST: usize = 1024;

/// How deep, how long and how rich in values a text may be.
///
/// ```
/// use windlass_partial_json::{ErrorKind, Limits, Parser};
///
/// let mut parser = Parser::with_limits(Limits::default().with_depth(3));
/// assert_eq!(parser.push("[[[").unwrap_err().kind(), ErrorKind::TooDeep);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The nesting that is refused: 128 by default, as `serde_json` counts, so 127 levels pass.
    pub depth: usize,
    /// Most bytes of text. 64 MiB by default.
    pub bytes: usize,
    /// Most values, containers and what they hold counted alike. 2,000,000 by default.
    pub values: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 128, bytes: 64 << 20, values: 2_000_000 }
    }
}

impl Limits {
    /// Sets the nesting that is refused, up to 1,024.
    pub fn with_depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }

    /// Sets the most bytes of text, up to 4 GiB less two.
    pub fn with_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets the most values, up to 4 Gi less two.
    pub fn with_values(mut self, values: usize) -> Self {
        self.values = values;
        self
    }

    /// Positions are kept in 32 bits, of which the last value means "still open".
    pub(crate) fn clamped(self) -> Self {
        let most = usize::try_from(u32::MAX.saturating_sub(2)).unwrap_or(usize::MAX);
        Self { depth: self.depth.min(DEEPEST), bytes: self.bytes.min(most), values: self.values.min(most) }
    }
}
