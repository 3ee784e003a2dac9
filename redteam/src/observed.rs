//! The observations of a case: the catalogue's words, and measured values.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalogue::Word;

/// The observations of one case, before its asserts are checked.
///
/// Several words can apply: a call that ran after the setup's approval is both allowed and contained.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Observation {
    pub(crate) words: BTreeSet<Word>,
    /// The id of the rule that decided, if the case is about one decision.
    #[serde(default)]
    pub(crate) rule: Option<String>,
    /// The detail for the report's line.
    pub(crate) detail: String,
    /// The results that the model received.
    pub(crate) results: Vec<String>,
    /// The prompts that a human was shown.
    pub(crate) prompts: Vec<String>,
    /// The measured values, by the names that asserts use.
    pub(crate) measures: BTreeMap<String, Value>,
}

/// The ending of a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ending {
    /// The outcome was accepted and every assert held.
    Passed { observed: String },
    /// The outcome was not accepted or an assert failed, with the reasons.
    Failed { observed: String, why: Vec<String> },
    /// The case could not be run here, with the reason.
    Skipped { why: String },
}

/// The error of a case that needs a missing feature or a facility that this machine does not have. It never
/// counts as a pass.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Skip(pub(crate) String);

impl Observation {
    pub(crate) fn new(words: impl IntoIterator<Item = Word>, detail: impl Into<String>) -> Self {
        Self { words: words.into_iter().collect(), detail: detail.into(), ..Self::default() }
    }

    pub(crate) fn with_rule(mut self, rule: &str) -> Self {
        self.rule = Some(rule.to_owned());
        self
    }

    pub(crate) fn with_value(mut self, name: &str, value: impl Into<Value>) -> Self {
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

    /// Formats the words and the detail, short enough for one line.
    pub(crate) fn format_line(&self) -> String {
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
