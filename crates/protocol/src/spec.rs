//! What is offered to the model.

use serde::{Deserialize, Serialize};

use crate::{RawJson, ToolName};

/// A tool as it is offered to a model.
///
/// ```
/// use windlass_protocol::{ToolName, ToolSpec};
/// let spec = ToolSpec::function(
///     ToolName::new("read_file")?,
///     "Reads a file.",
///     r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#.parse()?,
/// );
/// assert_eq!(spec.name().as_str(), "read_file");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolSpec {
    /// A function with JSON arguments.
    Function {
        /// What the model calls it.
        name: ToolName,
        /// What it does and when to use it.
        description: String,
        /// The JSON Schema of its arguments, in the author's order.
        parameters: RawJson,
    },
    /// A tool that takes free text.
    Freeform {
        /// What the model calls it.
        name: ToolName,
        /// What it does and when to use it.
        description: String,
        /// A grammar that holds the text, where the provider takes one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grammar: Option<String>,
    },
}

impl ToolSpec {
    /// A function with JSON arguments.
    pub fn function(name: ToolName, description: impl Into<String>, parameters: RawJson) -> Self {
        Self::Function { name, description: description.into(), parameters }
    }

    /// What the model calls it.
    pub fn name(&self) -> &ToolName {
        match self {
            Self::Function { name, .. } | Self::Freeform { name, .. } => name,
        }
    }

    /// What it does and when to use it.
    pub fn description(&self) -> &str {
        match self {
            Self::Function { description, .. } | Self::Freeform { description, .. } => description,
        }
    }

    /// The same tool under another name, for an alias.
    pub fn renamed(mut self, to: ToolName) -> Self {
        match &mut self {
            Self::Function { name, .. } | Self::Freeform { name, .. } => *name = to,
        }
        self
    }
}

/// Whether the model has to call a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "what every provider has, and no more")]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// No calls, though tools are listed.
    None,
    /// At least one call.
    Required,
    /// This tool.
    Named(ToolName),
}

/// Whether one answer may hold several calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "said or left to the provider, there is no third")]
pub enum ParallelCalls {
    /// As the provider does by itself; nothing is sent.
    #[default]
    ProviderDefault,
    /// Several are welcome.
    Allow,
    /// One at the most.
    Forbid,
}
