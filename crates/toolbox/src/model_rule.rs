//! Which tools fit which model: data, that the user's own stands before.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What is different for models of a name: some were trained on one form of editing and are worse at another.
///
/// ```
/// use windlass_toolbox::ModelRule;
/// let rule = ModelRule::new("*codex*");
/// assert!(rule.fits("openai/GPT-5-codex") && !rule.fits("gpt-5"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ModelRule {
    /// Which models: their name, where `*` stands for anything. Case does not count, nor does a vendor's name before a
    /// slash.
    pub pattern: String,
    /// Tools that they are given besides the preset's.
    #[serde(default)]
    pub include: Vec<String>,
    /// Tools that they are not given, unless `additional` names them.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Tools that they are shown under another name: the tool's own name, then what they see.
    #[serde(default)]
    pub rename: BTreeMap<String, String>,
}

impl ModelRule {
    /// A rule without anything in it.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), ..Self::default() }
    }

    /// The same rule, giving one more tool.
    pub fn with(mut self, name: impl Into<String>) -> Self {
        self.include.push(name.into());
        self
    }

    /// The same rule, taking a tool away.
    pub fn without(mut self, name: impl Into<String>) -> Self {
        self.exclude.push(name.into());
        self
    }

    /// The same rule, showing a tool under another name.
    pub fn renaming(mut self, name: impl Into<String>, shown: impl Into<String>) -> Self {
        self.rename.insert(name.into(), shown.into());
        self
    }

    /// Whether a model is meant.
    pub fn fits(&self, model: &str) -> bool {
        let (pattern, model) = (self.pattern.to_ascii_lowercase(), model.to_ascii_lowercase());
        let bare = model.rsplit_once('/').map_or(model.as_str(), |(_, name)| name);
        matches(&pattern, &model) || matches(&pattern, bare)
    }

    /// What is known without the user. The first rule that fits is the one that counts.
    pub(crate) fn known() -> Vec<Self> {
        // They were trained on patches in this form; the replacement of one text by another they get wrong more often.
        let patching =
            |pattern: &str| Self::new(pattern).with("apply_patch").without("edit_file").without("apply_diff");
        let patterns = ["*codex*", "gpt-5*", "gpt-4.1*", "o3*", "o4-mini*"];
        let replacing = Self::new("grok-code*").without("apply_diff").renaming("edit_file", "search_replace");
        patterns.into_iter().map(patching).chain([replacing]).collect()
    }
}

/// Whether a text is what a pattern says, where `*` stands for anything. Linear in the text for each star.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let last = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some((_, after)) = text.split_once(piece) else { return false };
        text = after;
    }
    text.ends_with(last)
}
