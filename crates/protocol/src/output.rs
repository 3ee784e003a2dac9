//! The format of an answer's text.

use serde::{Deserialize, Serialize};

use crate::{RawJson, Strictness};

/// The format of an answer's text.
///
/// ```
/// use windlass_protocol::{OutputFormat, OutputSchema};
/// let schema = OutputSchema::new("weather", r#"{"type":"object","properties":{"sky":{"type":"string"}}}"#.parse()?);
/// assert!(matches!(OutputFormat::Schema(schema), OutputFormat::Schema(schema) if schema.name == "weather"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OutputFormat {
    /// Unconstrained text.
    #[default]
    Text,
    /// One JSON object. Providers also require the word JSON in the conversation.
    Json,
    /// One JSON value that fits a schema.
    Schema(OutputSchema),
}

/// The schema of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OutputSchema {
    /// The name of the schema, which OpenAI requires.
    pub name: String,
    /// A description for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema, in the author's key order.
    pub schema: RawJson,
    /// The enforcement of the schema by the provider.
    #[serde(default, skip_serializing_if = "Strictness::is_unsaid")]
    pub strict: Strictness,
}

impl OutputFormat {
    pub(crate) fn is_text(&self) -> bool {
        *self == Self::Text
    }
}

impl OutputSchema {
    /// Creates a schema with a name.
    pub fn new(name: impl Into<String>, schema: RawJson) -> Self {
        Self { name: name.into(), description: None, schema, strict: Strictness::Unsaid }
    }

    /// Sets the description.
    pub fn with_description(mut self, description: Option<String>) -> Self {
        self.description = description;
        self
    }

    /// Sets whether the provider constrains the model to the schema.
    pub fn with_strict(mut self, strict: Strictness) -> Self {
        self.strict = strict;
        self
    }
}
