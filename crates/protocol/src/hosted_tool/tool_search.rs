//! The search among the tools of a request.

use serde::{Deserialize, Serialize};

use crate::ToolName;

/// A search among the tools of the request, which the provider runs. The model sees a deferred function only after a
/// search has found it.
///
/// Do not combine it with the deferred tools of a toolbox, which are found through a tool of Windlass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ToolSearch {
    /// The functions of the request that the model does not see at first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deferred: Vec<ToolName>,
    /// The form of a search.
    pub matching: ToolMatching,
}

/// The form of a search among tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolMatching {
    /// Words, ranked by relevance.
    #[default]
    Words,
    /// A regular expression.
    Pattern,
}

impl ToolSearch {
    /// Sets the functions that the model does not see at first.
    pub fn with_deferred(mut self, names: impl IntoIterator<Item = ToolName>) -> Self {
        self.deferred = names.into_iter().collect();
        self
    }

    /// Sets the form of a search.
    pub fn with_matching(mut self, matching: ToolMatching) -> Self {
        self.matching = matching;
        self
    }
}
