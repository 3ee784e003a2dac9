//! Tokenizers of programs.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A tokenizer that a program provides, for a model without a built-in one.
///
/// The agent counts every message once, on the thread of the run, so a count should take microseconds for a page of
/// text. `check_tokenizer` (feature `kit`) tests an implementation.
pub trait CountTokens: Send + Sync {
    /// Returns the name, which identifies the tokenizer in a serialized configuration.
    fn name(&self) -> &str;

    /// Returns the number of tokens in a text. Equal texts must always give equal numbers.
    fn count(&self, text: &str) -> u64;

    /// Returns true if the counts are those of the provider, and not estimates. Default: true.
    fn is_exact(&self) -> bool {
        true
    }
}

/// Tokenizer of a program, as a value. Two of them are equal if their names are equal.
#[derive(Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CustomTokenizer {
    /// The name.
    pub name: String,
    #[serde(skip)]
    counter: Option<Arc<dyn CountTokens>>,
}

impl CustomTokenizer {
    /// Creates the value of a tokenizer.
    pub fn new(tokenizer: impl CountTokens + 'static) -> Self {
        Self { name: tokenizer.name().to_owned(), counter: Some(Arc::new(tokenizer)) }
    }

    /// Returns the number of tokens, or `None` for a deserialized value.
    pub(crate) fn count(&self, text: &str) -> Option<u64> {
        self.counter.as_ref().map(|counter| counter.count(text))
    }

    pub(crate) fn is_exact(&self) -> bool {
        self.counter.as_ref().is_some_and(|counter| counter.is_exact())
    }
}

impl PartialEq for CustomTokenizer {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for CustomTokenizer {}

impl fmt::Debug for CustomTokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomTokenizer").field("name", &self.name).finish_non_exhaustive()
    }
}
