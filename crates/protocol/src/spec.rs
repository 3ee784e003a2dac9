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
        /// Whether the provider holds the model to the schema.
        #[serde(default, skip_serializing_if = "Strictness::is_unsaid")]
        strict: Strictness,
    },
    /// A tool that takes free text.
    Freeform {
        /// What the model calls it.
        name: ToolName,
        /// What it does and when to use it.
        description: String,
        /// A grammar that holds the text, where the provider takes one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grammar: Option<Grammar>,
    },
}

/// Whether a provider holds the model to a schema while it writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "said or left open, there is no third")]
pub enum Strictness {
    /// As the wire format is set up.
    #[default]
    Unsaid,
    /// Held to it. The schema has to be of the provider's strict dialect.
    On,
    /// Not held to it.
    Off,
}

/// A grammar that holds the text of a freeform tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "syntax", content = "text", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Grammar {
    /// In the syntax of Lark.
    Lark(String),
    /// A regular expression.
    Regex(String),
}

impl Grammar {
    /// The grammar's own text.
    pub fn text(&self) -> &str {
        match self {
            Self::Lark(text) | Self::Regex(text) => text,
        }
    }
}

impl Strictness {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
    pub(crate) fn is_unsaid(&self) -> bool {
        *self == Self::Unsaid
    }
}

impl ToolSpec {
    /// A function with JSON arguments.
    pub fn function(name: ToolName, description: impl Into<String>, parameters: RawJson) -> Self {
        Self::Function { name, description: description.into(), parameters, strict: Strictness::Unsaid }
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
