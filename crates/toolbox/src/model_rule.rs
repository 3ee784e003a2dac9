//! Rules that adapt the tools to a model. User rules come before the built-in rules.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_tool::Tool;

/// Adaptations for the models that match a pattern. Some models were trained on one form of editing and make
/// more mistakes with another.
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
    /// The model's name, in which `*` matches any text. The comparison ignores case and a vendor prefix
    /// before a slash.
    pub pattern: String,
    /// Tools in addition to the preset.
    #[serde(default)]
    pub include: Vec<String>,
    /// Tools that are removed, unless `additional` names them.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Display names by registered tool name.
    #[serde(default)]
    pub rename: BTreeMap<String, String>,
    /// True for a built-in rule, which applies only to tools with
    /// [`has_built_in_rules`](windlass_tool::Tool::has_built_in_rules).
    #[serde(skip)]
    pub(crate) is_built_in: bool,
}

impl ModelRule {
    /// Creates a rule without changes.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), ..Self::default() }
    }

    /// Adds a tool.
    pub fn with_tool(mut self, name: impl Into<String>) -> Self {
        self.include.push(name.into());
        self
    }

    /// Removes a tool.
    pub fn remove_tool(mut self, name: impl Into<String>) -> Self {
        self.exclude.push(name.into());
        self
    }

    /// Sets the display name of a tool.
    pub fn renaming(mut self, name: impl Into<String>, shown: impl Into<String>) -> Self {
        self.rename.insert(name.into(), shown.into());
        self
    }

    /// Returns whether the pattern matches a model.
    pub fn fits(&self, model: &str) -> bool {
        let (pattern, model) = (self.pattern.to_ascii_lowercase(), model.to_ascii_lowercase());
        let bare = model.rsplit_once('/').map_or(model.as_str(), |(_, name)| name);
        matches(&pattern, &model) || matches(&pattern, bare)
    }

    /// Returns whether the rule may change the availability or the name of a tool.
    pub(crate) fn is_about(&self, tool: &dyn Tool) -> bool {
        !self.is_built_in || tool.has_built_in_rules()
    }

    /// Returns the built-in rules. The first rule that matches a model applies.
    pub(crate) fn builtin_rules() -> Vec<Self> {
        // These models were trained on this patch format and make more mistakes with search and replace.
        let patching = |pattern: &str| {
            Self::new(pattern).with_tool("apply_patch").remove_tool("edit_file").remove_tool("apply_diff")
        };
        let patterns = ["*codex*", "gpt-5*", "gpt-4.1*", "o3*", "o4-mini*"];
        let replacing =
            Self::new("grok-code*").remove_tool("apply_diff").renaming("edit_file", "search_replace");
        let rules = patterns.into_iter().map(patching).chain([replacing]);
        rules.map(|rule| Self { is_built_in: true, ..rule }).collect()
    }
}

/// Returns whether a pattern matches a text, where `*` matches any text. Takes time linear in the text for
/// each star.
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
