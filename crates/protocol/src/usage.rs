//! Token usage.

use serde::{Deserialize, Serialize};

/// The tokens of one answer or a sum of answers. A count is zero if the provider does not report it.
///
/// ```
/// use windlass_protocol::Usage;
/// let mut total = Usage::default();
/// total.add(&Usage { input_tokens: 10, output_tokens: 5, ..Usage::default() });
/// assert_eq!(total.total(), 15);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..Usage::default()`")]
pub struct Usage {
    /// All input tokens, including cached tokens.
    pub input_tokens: u64,
    /// All output tokens, including reasoning tokens.
    pub output_tokens: u64,
    /// Input tokens that the provider read from its cache.
    pub cache_read_tokens: u64,
    /// Input tokens that the provider wrote to its cache.
    pub cache_write_tokens: u64,
    /// Output tokens that were used for reasoning.
    pub reasoning_tokens: u64,
}

impl Usage {
    /// Adds the tokens of another answer.
    pub fn add(&mut self, other: &Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cache_read_tokens = self.cache_read_tokens.saturating_add(other.cache_read_tokens);
        self.cache_write_tokens = self.cache_write_tokens.saturating_add(other.cache_write_tokens);
        self.reasoning_tokens = self.reasoning_tokens.saturating_add(other.reasoning_tokens);
    }

    /// Returns true if the provider reported no count, so that all are zero.
    pub fn is_unreported(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the sum of input and output tokens.
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}
