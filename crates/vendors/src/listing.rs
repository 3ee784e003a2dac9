//! Lists of models as providers publish them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::capability::Claims;

/// A model in a provider's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelEntry {
    /// Name of the model in requests.
    pub id: String,
    /// Size of the context window in tokens, for request and answer together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// Maximum number of tokens in an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Abilities that the list states.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub abilities: Claims,
}

/// A provider's list of models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Listing {
    /// Time of the request, in seconds since 1970.
    pub asked_at: u64,
    /// Models, in the provider's order.
    pub models: Vec<ModelEntry>,
}

impl ModelEntry {
    /// Returns an entry that has a name and no further data.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), context_tokens: None, output_tokens: None, abilities: Claims::new() }
    }
}

impl Listing {
    /// Returns a list that was requested at this time, in seconds since 1970.
    pub fn new(asked_at: u64, models: Vec<ModelEntry>) -> Self {
        Self { asked_at, models }
    }
}
