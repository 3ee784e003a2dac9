//! A call after lookup and validation.

use std::sync::Arc;

use windlass_hitl::PolicyInput;
use windlass_protocol::{Change, ToolCall, ToolName, ToolSpec};
use windlass_schema::Coercion;

use crate::entry::Entry;

/// A call after lookup and validation: the input of policy's decision and, if policy agrees, of `run`.
#[derive(Clone)]
#[non_exhaustive]
pub struct CheckedCall {
    /// The tool's name in the registry; the call may use an alias.
    pub name: ToolName,
    /// The tool's own spec, whose name can differ from the registered name and from the display name.
    pub spec: ToolSpec,
    /// The facts on which policy decides.
    pub facts: PolicyInput,
    /// The call that runs and that a human sees. It equals the model's call except for the changes in
    /// `coerced`.
    pub call: ToolCall,
    /// The changes that made the arguments fit the tool's schema (RULES J9).
    pub coerced: Vec<Coercion>,
    /// The changes to files that the inspection found; empty before [`Toolbox::inspect`](crate::Toolbox::inspect).
    pub changes: Vec<Change>,
    pub(crate) entry: Arc<Entry>,
}

impl std::fmt::Debug for CheckedCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checked")
            .field("name", &self.name)
            .field("call", &self.call)
            .field("facts", &self.facts)
            .field("coerced", &self.coerced)
            .field("changes", &self.changes)
            .finish_non_exhaustive()
    }
}
