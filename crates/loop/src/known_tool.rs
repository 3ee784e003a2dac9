//! The names that select a tool, which can differ from the name that the model was given (RULES N1, N3, N4).

use serde::{Deserialize, Serialize};
use windlass_protocol::Hints;

/// A tool of the run, offered or hidden, with all names that select it.
///
/// `windlass_toolbox::Toolbox::callable_tools` returns these names from the registry that also looks up
/// calls, so that the machine and the registry select the same tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KnownTool {
    /// The name in the registry, independent of the name that a model wrote.
    pub name: String,
    /// The tool's hints.
    pub hints: Hints,
    /// The names that select the tool without a change: its offered name and its aliases.
    pub exact: Vec<String>,
    /// The forms ([`ToolName::loose_form`](windlass_protocol::ToolName::loose_form)) of names that select
    /// only this tool.
    pub loose: Vec<String>,
}

impl KnownTool {
    /// Creates a tool that only its own name selects.
    pub fn new(name: impl Into<String>, hints: Hints) -> Self {
        let name = name.into();
        Self { exact: vec![name.clone()], loose: Vec::new(), name, hints }
    }

    /// Sets the names that select the tool.
    pub fn with_names(mut self, exact: Vec<String>, loose: Vec<String>) -> Self {
        (self.exact, self.loose) = (exact, loose);
        self
    }
}
