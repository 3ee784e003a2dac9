//! The form of the words in an answer.

use serde::{Deserialize, Serialize};

use crate::{RawJson, Strictness};

/// The form of the words in an answer.
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
    /// Any words.
    #[default]
    Text,
    /// One JSON object. Providers want the word JSON in the conversation as well.
    Json,
    /// One JSON value of a schema.
    Schema(OutputSchema),
}

/// The schema of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OutputSchema {
    /// A name, which OpenAI asks for.
    pub name: String,
    /// What it is, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema, in the author's order.
    pub schema: RawJson,
    /// Whether the provider holds the model to the schema.
    #[serde(default, skip_serializing_if = "Strictness::is_unsaid")]
    pub strict: Strictness,
}

impl OutputFormat {
    pub(crate) fn is_text(&self) -> bool {
        *self == Self::Text
    }
}

impl OutputSchema {
    /// A schema under a name.
    pub fn new(name: impl Into<String>, schema: RawJson) -> Self {
        Self { name: name.into(), description: None, schema, strict: Strictness::Unsaid }
    }

    /// The same schema with words about it.
    pub fn with_description(mut self, description: Option<String>) -> Self {
        self.description = description;
        self
    }

    /// The same schema, held to or not.
    pub fn with_strict(mut self, strict: Strictness) -> Self {
        self.strict = strict;
        self
    }
}
