//! What was repaired, for a log and for the human who is asked.

use std::fmt;

use serde_core::de::{Deserialize, Deserializer, Error as _};
use serde_core::ser::{Serialize, Serializer};

/// What can be repaired (RULES J8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RepairKind {
    /// The lines of a Markdown code fence around the value.
    CodeFence,
    /// A string that holds the text of an object or array.
    DoubleEncoding,
    /// A control character in a string that has to be escaped: models write literal line feeds.
    ControlCharacter,
    /// A comma before a closing bracket.
    TrailingComma,
    /// A string or key in single quotes.
    SingleQuotes,
    /// A closing bracket that did not come.
    MissingBracket,
    /// Text after the value.
    TrailingText,
}

impl RepairKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::CodeFence,
        Self::DoubleEncoding,
        Self::ControlCharacter,
        Self::TrailingComma,
        Self::SingleQuotes,
        Self::MissingBracket,
        Self::TrailingText,
    ];

    /// Its name, for a log.
    pub fn name(self) -> &'static str {
        match self {
            Self::CodeFence => "code_fence",
            Self::DoubleEncoding => "double_encoding",
            Self::ControlCharacter => "control_character",
            Self::TrailingComma => "trailing_comma",
            Self::SingleQuotes => "single_quotes",
            Self::MissingBracket => "missing_bracket",
            Self::TrailingText => "trailing_text",
        }
    }
}

/// One kind of repair to one text. It serialises as `[kind, at, count]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// What was repaired.
    pub kind: RepairKind,
    /// Where it was first met, in bytes; inside a string that holds JSON counted from that text's own start.
    pub at: usize,
    /// How often.
    pub count: usize,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.kind.name().replace('_', " ");
        write!(f, "{name} at byte {}", self.at)?;
        match self.count.saturating_sub(1) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

impl Serialize for Repair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.kind.name(), self.at, self.count).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Repair {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (name, at, count) = <(String, usize, usize)>::deserialize(deserializer)?;
        let kind = RepairKind::ALL.into_iter().find(|kind| kind.name() == name);
        let kind = kind.ok_or_else(|| D::Error::custom(format_args!("there is no repair named {name}")))?;
        Ok(Self { kind, at, count })
    }
}

/// What has been repaired so far.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) repairs: Vec<Repair>,
}

impl Report {
    pub(super) fn note(&mut self, kind: RepairKind, at: usize) {
        match self.repairs.iter_mut().find(|repair| repair.kind == kind) {
            Some(repair) => repair.count = repair.count.saturating_add(1),
            None => self.repairs.push(Repair { kind, at, count: 1 }),
        }
    }
}
