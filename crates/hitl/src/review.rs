//! Reviews of calls by a model.

use serde::{Deserialize, Serialize};
use windlass_protocol::Usage;

/// Review of an approval request by a model, as part of the decision. Its tokens count for the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Review {
    /// The name of the model.
    pub model: String,
    /// True if the model decided. Otherwise the decision is the human's, whom the model left it to.
    pub decided: bool,
    /// The model's reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The tokens of the review.
    #[serde(default, skip_serializing_if = "Usage::is_unreported")]
    pub usage: Usage,
}

impl Review {
    /// Creates a review.
    pub fn new(model: impl Into<String>, decided: bool, reason: impl Into<String>, usage: Usage) -> Self {
        Self { model: model.into(), decided, reason: reason.into(), usage }
    }
}
