//! Tokenizers of models, and counts of tokens.

use serde::{Deserialize, Serialize};

#[cfg(feature = "openai")]
use crate::openai::{Encoding, count};
use crate::{CountTokens, CustomTokenizer};

/// Bytes per token for unknown tokenizers. English text has a little more, code a little less.
const BYTES_PER_TOKEN: u64 = 4;

/// Tokenizer of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Tokenizer {
    /// Unknown tokenizer, with an estimate of four bytes per token.
    #[default]
    Unknown,
    /// OpenAI's `cl100k_base`: GPT-4 and GPT-3.5.
    Cl100k,
    /// OpenAI's `o200k_base`: GPT-4o and everything after it.
    O200k,
    /// A tokenizer of the program. A deserialized one estimates, because its function is not part of the value.
    Custom(CustomTokenizer),
}

/// Prefixes of model names, the more specific ones first (OpenAI, "How to count tokens with tiktoken").
const MODELS: [(&str, Tokenizer); 12] = [
    ("gpt-4o", Tokenizer::O200k),
    ("gpt-4.1", Tokenizer::O200k),
    ("gpt-4.5", Tokenizer::O200k),
    ("gpt-5", Tokenizer::O200k),
    ("gpt-oss", Tokenizer::O200k),
    ("chatgpt-4o", Tokenizer::O200k),
    ("codex-", Tokenizer::O200k),
    ("o1", Tokenizer::O200k),
    ("o3", Tokenizer::O200k),
    ("o4", Tokenizer::O200k),
    ("gpt-4", Tokenizer::Cl100k),
    ("gpt-3.5", Tokenizer::Cl100k),
];

impl Tokenizer {
    /// Returns the tokenizer for a model name. A router's prefix such as `openai/` is ignored.
    ///
    /// ```
    /// use windlass_tokens::Tokenizer;
    /// assert_eq!(Tokenizer::for_model("openai/gpt-5-mini"), Tokenizer::O200k);
    /// assert_eq!(Tokenizer::for_model("gpt-4-turbo"), Tokenizer::Cl100k);
    /// assert_eq!(Tokenizer::for_model("gemini-2.5-pro"), Tokenizer::Unknown);
    /// ```
    pub fn for_model(name: &str) -> Self {
        let name = name.rsplit('/').next().unwrap_or(name);
        let known = MODELS.iter().find(|(beginning, _)| name.starts_with(beginning));
        known.map_or(Self::Unknown, |(_, tokenizer)| tokenizer.clone())
    }

    /// Creates a tokenizer of the program.
    ///
    /// ```
    /// use windlass_tokens::{CountTokens, Tokenizer};
    ///
    /// struct Words;
    ///
    /// impl CountTokens for Words {
    ///     fn name(&self) -> &str {
    ///         "words"
    ///     }
    ///     fn count(&self, text: &str) -> u64 {
    ///         text.split_whitespace().count() as u64
    ///     }
    /// }
    /// assert_eq!(Tokenizer::custom(Words).count("two words"), 2);
    /// ```
    pub fn custom(tokenizer: impl CountTokens + 'static) -> Self {
        Self::Custom(CustomTokenizer::new(tokenizer))
    }

    /// Returns true if counts are exact (for a text of up to a mebibyte) rather than estimates. False for the built-in
    /// tokenizers without the feature `openai`, and in WebAssembly, which has no thread for the count.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Unknown => false,
            Self::Custom(custom) => custom.is_exact(),
            Self::Cl100k | Self::O200k => cfg!(all(feature = "openai", not(target_family = "wasm"))),
        }
    }

    /// Returns the number of tokens in a text. Beyond the first mebibyte the count is extrapolated.
    pub fn count(&self, text: &str) -> u64 {
        if let Self::Custom(custom) = self {
            return custom.count(text).unwrap_or_else(|| estimate(text.len()));
        }
        self.exact(text).unwrap_or_else(|| estimate(text.len()))
    }

    #[cfg(feature = "openai")]
    fn exact(&self, text: &str) -> Option<u64> {
        match self {
            Self::Unknown | Self::Custom(_) => None,
            Self::Cl100k => count(Encoding::Cl100k, text),
            Self::O200k => count(Encoding::O200k, text),
        }
    }

    #[cfg(not(feature = "openai"))]
    #[expect(clippy::unused_self, reason = "without the tables no model's way is known")]
    fn exact(&self, _: &str) -> Option<u64> {
        None
    }
}

fn estimate(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_PER_TOKEN)
}

#[cfg(test)]
mod tests;
