//! Limits on buffered text and on the number of calls.

/// Limits of a scanner (RULES S16). Text beyond a limit stays text or makes a call that cannot run;
/// [`Scanner::limit_error`](crate::Scanner::limit_error) returns the first limit that was exceeded.
///
/// ```
/// let limits = windlass_text_calls::TextCallLimits { calls: 16, ..windlass_text_calls::TextCallLimits::default() };
/// assert_eq!(limits.held_bytes, 65_536);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..TextCallLimits::default()`")]
pub struct TextCallLimits {
    /// Maximum bytes of text that are held back while it is uncertain whether they are a call.
    pub held_bytes: usize,
    /// Maximum bytes of one argument that must be buffered because it is not a string.
    pub value_bytes: usize,
    /// Maximum number of calls per message; further calls stay text.
    pub calls: usize,
}

impl Default for TextCallLimits {
    fn default() -> Self {
        Self { held_bytes: 64 << 10, value_bytes: 4 << 20, calls: 512 }
    }
}

/// A limit that the text exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// The possible beginning of a call was too long and became text.
    #[error("the beginning of a call has more than {limit} bytes")]
    Held {
        /// The limit.
        limit: usize,
    },
    /// An argument was too long to be converted; its call stays unfinished.
    #[error("an argument that is not a string has more than {limit} bytes")]
    Value {
        /// The limit.
        limit: usize,
    },
    /// The text has more calls than allowed; the rest became text.
    #[error("the text has more than {limit} calls")]
    Calls {
        /// The limit.
        limit: usize,
    },
}
