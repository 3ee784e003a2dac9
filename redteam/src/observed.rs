//! What was observed of a case, in the catalogue's words and in figures.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalogue::Word;

/// What one case came to, before its asserts are looked at.
///
/// A case can meet several words at once: a call that ran after the setup's yes is both allowed and contained.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Observed {
    pub(crate) words: BTreeSet<Word>,
    /// In words, for a line of the report.
    pub(crate) detail: String,
    /// What came back to the model.
    pub(crate) results: Vec<String>,
    /// What a human was shown.
    pub(crate) prompts: Vec<String>,
    /// Figures and texts by the names under which asserts ask for them.
    pub(crate) measures: BTreeMap<String, Value>,
}

/// How a case ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ending {
    /// The outcome was accepted and every assert held.
    Passed { observed: String },
    /// It did not, and why.
    Failed { observed: String, why: Vec<String> },
    /// It could not be run here, and why.
    Skipped { why: String },
}

/// A case of a thing that is not there yet, or that this machine cannot do. Never a pass.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Skip(pub(crate) String);

impl Observed {
    pub(crate) fn new(words: impl IntoIterator<Item = Word>, detail: impl Into<String>) -> Self {
        Self { words: words.into_iter().collect(), detail: detail.into(), ..Self::default() }
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.measures.insert(name.to_owned(), value.into());
        self
    }

    pub(crate) fn with_results(mut self, results: impl IntoIterator<Item = String>) -> Self {
        self.results.extend(results);
        self
    }

    pub(crate) fn with_prompts(mut self, prompts: impl IntoIterator<Item = String>) -> Self {
        self.prompts.extend(prompts);
        self
    }

    /// The words and what is behind them, short enough for a line.
    pub(crate) fn told(&self) -> String {
        let words = Word::list(self.words.iter().copied());
        let words = if words.is_empty() { "nothing".to_owned() } else { words };
        let detail: String = self.detail.chars().take(160).collect();
        format!("{words} ({})", windlass_hitl::display_safe(&detail).replace('\n', " / "))
    }
}

/// Stops a case that cannot be run.
pub(crate) fn skip<T>(why: impl Into<String>) -> anyhow::Result<T> {
    Err(Skip(why.into()).into())
}
