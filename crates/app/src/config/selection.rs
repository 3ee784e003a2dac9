//! The selection of tools besides the preset.

use serde::{Deserialize, Serialize};

/// Tools and features besides those of the preset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ToolSelection {
    /// Slug of the mode of work. Without a mode every tool of the preset is offered.
    pub mode: Option<String>,
    /// Tools besides those of the preset.
    pub tools: Vec<String>,
    /// Tools that are not offered.
    pub disabled: Vec<String>,
    /// Enabled features, such as `project_tools` or `agents`.
    pub features: Vec<String>,
    /// Endpoint that ranks the results of `codebase_search`.
    #[serde(flatten)]
    pub embeddings: EmbeddingOptions,
}

impl ToolSelection {
    pub(crate) fn has_feature(&self, name: &str) -> bool {
        self.features.iter().any(|feature| feature == name)
    }
}

/// Endpoint for embeddings. Without an address, the results of a search are ranked by words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct EmbeddingOptions {
    /// Address of the endpoint, such as `http://localhost:11434/v1`. It receives queries and passages.
    #[serde(rename = "embeddings", skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The endpoint's name of the model.
    #[serde(rename = "embeddings_model", skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Requested length of the vectors, for models that support shorter ones.
    #[serde(rename = "embeddings_dimensions", skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<usize>,
}
