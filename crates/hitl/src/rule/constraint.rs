//! Constraints as a human writes them.

use serde::{Deserialize, Serialize};

use crate::{CustomCondition, EffectKind};

/// Constraint on one kind of effect, for every tool: an effect that violates one of the lists or limits is
/// denied (RULES H15). An empty list constrains nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Constraint {
    /// The id that decisions quote.
    pub id: String,
    /// The kind of effect that is constrained.
    pub effect: EffectKind,
    /// Allowed paths: the effect's path has to match one of these globs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Blocked paths: the effect's path must not match any of these globs. A glob without `/` is compared
    /// with the file's name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<String>,
    /// Allowed endings of the file's name, without the dot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// The maximum size of a written file, in bytes. A human is asked if the tool does not report the size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Allowed hosts of a connection, written as in rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Allowed ports of a connection.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<u16>,
    /// The condition about custom effects: its `kind` selects them, its other criteria are required. A human
    /// is asked if the tool does not state the amount in the condition's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom: Option<CustomCondition>,
}

impl Constraint {
    /// Creates a constraint that allows a kind of effect only for paths that match these globs.
    pub fn new(id: impl Into<String>, effect: EffectKind, paths: Vec<String>) -> Self {
        Self {
            id: id.into(),
            effect,
            paths,
            blocked: Vec::new(),
            extensions: Vec::new(),
            max_bytes: None,
            hosts: Vec::new(),
            ports: Vec::new(),
            custom: None,
        }
    }

    /// Creates a constraint on custom effects: the condition's `kind` selects effects, and its other criteria
    /// are required of them.
    pub fn custom(id: impl Into<String>, condition: CustomCondition) -> Self {
        Self { custom: Some(condition), ..Self::new(id, EffectKind::Custom, Vec::new()) }
    }

    /// Sets the globs that the path must not match.
    pub fn with_blocked(mut self, globs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.blocked = globs.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the endings that a file may have.
    pub fn with_extensions(mut self, endings: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.extensions = endings.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the maximum size of a written file.
    pub fn with_max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// Sets the allowed hosts and ports.
    pub fn with_hosts(
        mut self,
        hosts: impl IntoIterator<Item = impl Into<String>>,
        ports: impl IntoIterator<Item = u16>,
    ) -> Self {
        self.hosts = hosts.into_iter().map(Into::into).collect();
        self.ports = ports.into_iter().collect();
        self
    }
}
