//! What an answer cost in tokens.

use serde::{Deserialize, Serialize};

/// Tokens of one answer, or of many added up. Zero where a provider says nothing.
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
    /// All tokens of the request, cached ones among them.
    pub input_tokens: u64,
    /// All tokens of the answer, reasoning among them.
    pub output_tokens: u64,
    /// Tokens of the request that were read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Tokens of the request that were written to the provider's cache.
    pub cache_write_tokens: u64,
    /// Tokens of the answer that were reasoning.
    pub reasoning_tokens: u64,
}

impl Usage {
    /// Adds another answer's tokens.
    pub fn add(&mut self, other: &Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cache_read_tokens = self.cache_read_tokens.saturating_add(other.cache_read_tokens);
        self.cache_write_tokens = self.cache_write_tokens.saturating_add(other.cache_write_tokens);
        self.reasoning_tokens = self.reasoning_tokens.saturating_add(other.reasoning_tokens);
    }

    /// Request and answer together.
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}
