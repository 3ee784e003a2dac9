//! Tokenizers of models, and counts of tokens.

use serde::{Deserialize, Serialize};

use crate::{CountTokens, CustomTokenizer};

/// Bytes per token for unknown tokenizers. English text has a little more, code a little less.
const BYTES_PER_TOKEN: u64 = 4;
/// Bytes of a text that are counted exactly; the count of the rest is extrapolated.
#[cfg(feature = "openai")]
const MOST_COUNTED: usize = 1 << 20;

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
    /// tokenizers without the feature `openai`.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Unknown => false,
            Self::Custom(custom) => custom.is_exact(),
            Self::Cl100k | Self::O200k => cfg!(feature = "openai"),
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
            Self::Cl100k => Some(count_exact(bpe_openai::cl100k_base(), text)),
            Self::O200k => Some(count_exact(bpe_openai::o200k_base(), text)),
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

#[cfg(feature = "openai")]
fn count_exact(tokenizer: &bpe_openai::Tokenizer, text: &str) -> u64 {
    let end = text.floor_char_boundary(MOST_COUNTED);
    let beginning = tokenizer.count(text.get(..end).unwrap_or_default()) as u64;
    if end == text.len() {
        return beginning;
    }
    let whole = u128::from(beginning).saturating_mul(text.len() as u128) / (end.max(1) as u128);
    u64::try_from(whole).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
