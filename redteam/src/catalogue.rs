//! The format of a catalogue of attacks: cases, and the setups that they name.

use std::path::Path;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A whole catalogue. A case that cannot be parsed does not affect the others.
#[derive(Debug)]
pub(crate) struct Catalogue {
    pub(crate) cases: Vec<Result<Case, Unreadable>>,
    pub(crate) setups: Map<String, Value>,
}

/// The id of a case that cannot be parsed, with the reason.
#[derive(Clone, Debug)]
pub(crate) struct Unreadable {
    pub(crate) id: String,
    pub(crate) why: String,
}

/// One attack or control.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) id: String,
    #[serde(rename = "category")]
    _category: String,
    #[serde(rename = "kind")]
    _kind: Kind,
    pub(crate) tool: String,
    pub(crate) input: Box<RawValue>,
    pub(crate) setup: String,
    pub(crate) mode: Mode,
    pub(crate) expected: Word,
    pub(crate) accept: Vec<Word>,
    #[serde(default, rename = "assert")]
    pub(crate) asserts: Map<String, Value>,
    #[serde(default)]
    pub(crate) never_execute: bool,
    #[serde(default, rename = "source")]
    _source: Option<String>,
    #[serde(default, rename = "note")]
    _note: Option<String>,
}

/// The purpose of a case. Attacks and controls are decided alike; they differ only in their accept lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Attack,
    Control,
}

/// The mode in which a case is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    Decide,
    Execute,
    Prompt,
}

/// The catalogue's words for an observed outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Word {
    Allow,
    Ask,
    Deny,
    Error,
    Contained,
}

#[derive(Deserialize)]
struct File<'a> {
    setups: Map<String, Value>,
    #[serde(borrow)]
    attacks: Vec<&'a RawValue>,
}

impl Catalogue {
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("the catalogue {} cannot be read", path.display()))?;
        Self::parse(&text).with_context(|| format!("{} is not a catalogue of attacks", path.display()))
    }

    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        let file: File<'_> = serde_json::from_str(text)?;
        let cases = file.attacks.into_iter().enumerate();
        let cases = cases.map(|(index, raw)| {
            serde_json::from_str(raw.get()).map_err(|error| Unreadable::new(index, raw, &error))
        });
        Ok(Self { cases: cases.collect(), setups: file.setups })
    }
}

impl Unreadable {
    fn new(index: usize, raw: &RawValue, error: &serde_json::Error) -> Self {
        #[derive(Deserialize)]
        struct NamedCase {
            id: String,
        }
        let named = serde_json::from_str::<NamedCase>(raw.get());
        let id = named.map_or_else(|_| format!("case {}", index.saturating_add(1)), |named| named.id);
        Self { id, why: format!("the case cannot be read: {error}") }
    }
}

impl Word {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Error => "error",
            Self::Contained => "contained",
        }
    }

    /// Formats a list of words.
    pub(crate) fn list(words: impl IntoIterator<Item = Self>) -> String {
        words.into_iter().map(Self::as_str).collect::<Vec<_>>().join("|")
    }
}
