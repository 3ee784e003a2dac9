//! Limits on depth, length and number of values.

/// The highest accepted depth limit. Dropping a [`serde_json::Value`] recurses, and this many levels are safe
/// on the stack of any thread.
const DEEPEST: usize = 1024;

/// Limits on the depth, the length and the number of values of a text.
///
/// ```
/// use windlass_partial_json::{ErrorKind, JsonLimits, Parser};
///
/// let mut parser = Parser::with_limits(JsonLimits::default().with_depth(3));
/// assert_eq!(parser.push("[[[").unwrap_err().kind(), ErrorKind::TooDeep);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonLimits {
    /// The first nesting depth that is refused, counted as in `serde_json`: the default of 128 allows 127
    /// levels.
    pub depth: usize,
    /// Maximum bytes of text. 64 MiB by default.
    pub bytes: usize,
    /// Maximum number of values, including containers. 2,000,000 by default.
    pub values: usize,
}

impl Default for JsonLimits {
    fn default() -> Self {
        Self { depth: 128, bytes: 64 << 20, values: 2_000_000 }
    }
}

impl JsonLimits {
    /// Sets the first nesting depth that is refused, at most 1,024.
    pub fn with_depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }

    /// Sets the maximum bytes of text, at most 2³² − 3.
    pub fn with_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets the maximum number of values, at most 2³² − 3.
    pub fn with_values(mut self, values: usize) -> Self {
        self.values = values;
        self
    }

    /// Clamps the limits to ranges that the parser supports: positions are stored in 32 bits, and the highest
    /// value is reserved for "still open".
    pub(crate) fn clamp(self) -> Self {
        let most = usize::try_from(u32::MAX.saturating_sub(2)).unwrap_or(usize::MAX);
        Self { depth: self.depth.min(DEEPEST), bytes: self.bytes.min(most), values: self.values.min(most) }
    }
}
