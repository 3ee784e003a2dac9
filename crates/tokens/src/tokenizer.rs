//! Which way of counting a model has, and the counting.

use serde::{Deserialize, Serialize};

/// How many bytes a token has, where nothing else is known. English text has a little more, code a little less.
const BYTES_PER_TOKEN: u64 = 4;
/// How much of a text is counted; the rest is taken to be like it.
#[cfg(feature = "openai")]
const MOST_COUNTED: usize = 1 << 20;

/// How a model cuts text into tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Tokenizer {
    /// It is not known here: four bytes are taken for a token.
    #[default]
    Unknown,
    /// OpenAI's `cl100k_base`: GPT-4 and GPT-3.5.
    Cl100k,
    /// OpenAI's `o200k_base`: GPT-4o and everything after it.
    O200k,
}

/// Beginnings of names, the more special ones first (OpenAI, "How to count tokens with tiktoken").
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
    /// The tokenizer of a model, by the provider's name of it; what a router puts before the name (`openai/`) is not
    /// looked at.
    ///
    /// ```
    /// use windlass_tokens::Tokenizer;
    /// assert_eq!(Tokenizer::of_model("openai/gpt-5-mini"), Tokenizer::O200k);
    /// assert_eq!(Tokenizer::of_model("gpt-4-turbo"), Tokenizer::Cl100k);
    /// assert_eq!(Tokenizer::of_model("gemini-2.5-pro"), Tokenizer::Unknown);
    /// ```
    pub fn of_model(name: &str) -> Self {
        let name = name.rsplit('/').next().unwrap_or(name);
        let known = MODELS.iter().find(|(beginning, _)| name.starts_with(beginning));
        known.map_or(Self::Unknown, |(_, tokenizer)| *tokenizer)
    }

    /// Whether counts are those of the model, and no estimates.
    pub fn is_exact(self) -> bool {
        cfg!(feature = "openai") && self != Self::Unknown
    }

    /// The tokens of a text.
    pub fn count(self, text: &str) -> u64 {
        self.exact(text).unwrap_or_else(|| estimated(text.len()))
    }

    #[cfg(feature = "openai")]
    fn exact(self, text: &str) -> Option<u64> {
        match self {
            Self::Unknown => None,
            Self::Cl100k => Some(counted(bpe_openai::cl100k_base(), text)),
            Self::O200k => Some(counted(bpe_openai::o200k_base(), text)),
        }
    }

    #[cfg(not(feature = "openai"))]
    #[expect(clippy::unused_self, reason = "without the tables no model's way is known")]
    fn exact(self, _: &str) -> Option<u64> {
        None
    }
}

fn estimated(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_PER_TOKEN)
}

#[cfg(feature = "openai")]
fn counted(tokenizer: &bpe_openai::Tokenizer, text: &str) -> u64 {
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
