//! How much a scanner holds and counts.

/// How much a scanner holds and counts (RULES S16). What is beyond is text, or a call that
/// cannot be run, and [`Scanner::exceeded`](crate::Scanner::exceeded) says so.
///
/// ```
/// let limits = windlass_text_calls::Limits { calls: 16, ..windlass_text_calls::Limits::default() };
/// assert_eq!(limits.held_bytes, 65_536);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..Limits::default()`")]
pub struct Limits {
    /// The most bytes that are held back while it is not known whether they are a call.
    pub held_bytes: usize,
    /// The most bytes of one argument that is held because it is no string and has to be whole.
    pub value_bytes: usize,
    /// The most calls of one message; what looks like one more is text.
    pub calls: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { held_bytes: 64 << 10, value_bytes: 4 << 20, calls: 512 }
    }
}

/// A limit that a text went beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// What looked like the beginning of a call was too long and became text.
    #[error("the beginning of a call has more than {limit} bytes")]
    Held {
        /// The limit.
        limit: usize,
    },
    /// An argument was too long to be converted, and its call is left unfinished.
    #[error("an argument that is no string has more than {limit} bytes")]
    Value {
        /// The limit.
        limit: usize,
    },
    /// There were more calls, and they became text.
    #[error("the text has more than {limit} calls")]
    Calls {
        /// The limit.
        limit: usize,
    },
}
