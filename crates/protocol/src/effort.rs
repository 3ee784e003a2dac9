//! The amount of reasoning and the length of an answer.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The amount of reasoning before an answer. Each wire format maps it to a word, a level or a number of tokens of the
/// provider's API.
///
/// ```
/// use windlass_protocol::Effort;
/// assert_eq!(Effort::High.tokens(), 16_384);
/// assert_eq!(Effort::Budget(3_000).word(), Some("low"));
/// assert_eq!("medium".parse(), Ok(Effort::Medium));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effort {
    /// No reasoning, if the model can answer without it.
    Off,
    /// As little reasoning as the model can do.
    Minimal,
    /// Little reasoning.
    Low,
    /// A medium amount of reasoning.
    Medium,
    /// Much reasoning.
    High,
    /// As much reasoning as the model can do.
    Max,
    /// At most this number of tokens.
    Budget(u64),
}

impl Effort {
    const WORDS: [(Self, &'static str); 5] = [
        (Self::Minimal, "minimal"),
        (Self::Low, "low"),
        (Self::Medium, "medium"),
        (Self::High, "high"),
        (Self::Max, "max"),
    ];

    /// Returns the number of tokens for an API that counts them, at least 1,024 except for [`Effort::Off`] and a
    /// budget.
    pub fn tokens(self) -> u64 {
        match self {
            Self::Off => 0,
            Self::Minimal => 1_024,
            Self::Low => 2_048,
            Self::Medium => 8_192,
            Self::High => 16_384,
            Self::Max => 32_000,
            Self::Budget(tokens) => tokens,
        }
    }

    /// Returns the word for an API that has words: `minimal`, `low`, `medium`, `high` or `max`. A budget has the word
    /// of the largest amount that fits in it. Returns `None` for no reasoning.
    pub fn word(self) -> Option<&'static str> {
        if self.tokens() == 0 {
            return None;
        }
        let fits = |(effort, _): &&(Self, &str)| effort.tokens() <= self.tokens();
        Some(Self::WORDS.iter().rev().find(fits).map_or("minimal", |(_, word)| word))
    }
}

/// The error for an unknown amount of reasoning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEffort(String);

impl fmt::Display for UnknownEffort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(word) = self;
        write!(
            f,
            "unknown amount of reasoning `{word}`: use off, minimal, low, medium, high, max or a number of tokens"
        )
    }
}

impl Error for UnknownEffort {}

impl FromStr for Effort {
    type Err = UnknownEffort;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "off" || text == "none" {
            return Ok(Self::Off);
        }
        let known = Self::WORDS.iter().find(|(_, word)| *word == text).map(|(effort, _)| *effort);
        let parsed = known.or_else(|| text.parse().ok().map(Self::Budget));
        parsed.ok_or_else(|| UnknownEffort(text.to_owned()))
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("off"),
            Self::Budget(tokens) => write!(f, "{tokens}"),
            _ => f.write_str(self.word().unwrap_or_default()),
        }
    }
}

/// The length of an answer's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the providers have these three words")]
pub enum Verbosity {
    /// Short.
    Low,
    /// Of medium length.
    Medium,
    /// Long.
    High,
}

impl Verbosity {
    /// Returns the name: `low`, `medium` or `high`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}
