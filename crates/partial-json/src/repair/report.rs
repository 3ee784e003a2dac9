//! The report of repairs, for logs and for the human who approves the call.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde_core::de::{Deserialize, Deserializer, Error as _};
use serde_core::ser::{Serialize, Serializer};

/// A kind of repair (RULES J8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RepairKind {
    /// Removal of the lines of a Markdown code fence around the value.
    CodeFence,
    /// Decoding of a string that contains the text of an object or array.
    DoubleEncoding,
    /// Escaping of a raw control character in a string; models write literal line feeds.
    ControlCharacter,
    /// Removal of a comma before a closing bracket.
    TrailingComma,
    /// Replacement of single quotes around a string or a key.
    SingleQuotes,
    /// Addition of a missing closing bracket.
    MissingBracket,
    /// Removal of text after the value.
    TrailingText,
}

impl RepairKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::CodeFence,
        Self::DoubleEncoding,
        Self::ControlCharacter,
        Self::TrailingComma,
        Self::SingleQuotes,
        Self::MissingBracket,
        Self::TrailingText,
    ];

    /// Returns the name that logs and the serialised form use.
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

/// All repairs of one kind in one text. Serialises as `[kind, at, count]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// The kind of repair.
    pub kind: RepairKind,
    /// Byte offset of the first repair of this kind. In JSON that was encoded twice it counts from the start
    /// of the inner text.
    pub at: usize,
    /// Number of repairs of this kind.
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
        let kind = kind.ok_or_else(|| D::Error::custom(format_args!("unknown repair {name}")))?;
        Ok(Self { kind, at, count })
    }
}

/// Collects the repairs of one text, grouped by kind.
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
