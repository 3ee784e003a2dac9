//! Rules as a human writes them.

use serde::{Deserialize, Serialize};
use windlass_protocol::ToolName;

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "the three verdicts")]
pub enum Action {
    /// The call does not run.
    Deny,
    /// A human is asked.
    Ask,
    /// The call runs.
    Allow,
}

/// The kinds of effect that a rule can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EffectKind {
    /// Reads a file or a folder.
    Read,
    /// Makes or changes a file.
    Write,
    /// Removes a file.
    Delete,
    /// Starts a process.
    Execute,
    /// Opens a connection.
    Network,
    /// Hands work to another agent.
    Spawn,
    /// Changes nothing outside the run.
    Internal,
    /// Cannot be told.
    Unknown,
}

/// One rule. Everything that it names has to fit; what it does not name fits always.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Rule {
    /// The name under which decisions quote the rule.
    pub id: String,
    /// What it says.
    pub action: Action,
    /// A tool, by its name in the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolName>,
    /// A kind of effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectKind>,
    /// A glob over workspace-relative paths; `**` crosses folders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Why, in words for the human and the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Rule {
    /// A rule that fits every call, to be narrowed.
    pub fn new(id: impl Into<String>, action: Action) -> Self {
        Self { id: id.into(), action, tool: None, effect: None, path: None, reason: None }
    }

    /// The same rule for one tool.
    pub fn with_tool(mut self, tool: ToolName) -> Self {
        self.tool = Some(tool);
        self
    }

    /// The same rule for one kind of effect.
    pub fn with_effect(mut self, effect: EffectKind) -> Self {
        self.effect = Some(effect);
        self
    }

    /// The same rule for paths that fit a glob.
    pub fn with_path(mut self, glob: impl Into<String>) -> Self {
        self.path = Some(glob.into());
        self
    }
}

/// A fence around one kind of effect: what it touches has to lie inside, or the call is denied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Constraint {
    /// The name under which decisions quote the constraint.
    pub id: String,
    /// The kind of effect that is fenced.
    pub effect: EffectKind,
    /// Globs of which the effect's path has to fit one. An effect without a path is not fenced by paths.
    #[serde(default)]
    pub paths: Vec<String>,
}

impl Constraint {
    /// A fence of these globs around a kind of effect.
    pub fn new(id: impl Into<String>, effect: EffectKind, paths: Vec<String>) -> Self {
        Self { id: id.into(), effect, paths }
    }
}

/// A policy file: `[[rule]]` and `[[constraint]]` tables. An unknown key is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RuleFile {
    /// The rules.
    #[serde(default, rename = "rule")]
    pub rules: Vec<Rule>,
    /// The constraints.
    #[serde(default, rename = "constraint")]
    pub constraints: Vec<Constraint>,
}
