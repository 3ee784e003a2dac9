//! The origin of a run that another run began.

use serde::{Deserialize, Serialize};

/// The origin of a run that a call of another run began: which definition of an agent it follows, and which tool was called.
/// It is part of the record, beside the run's id, which names the call. A tool that takes such a run up again compares it
/// with what it would begin itself, so that no run goes on under another definition than its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunOrigin {
    /// The name of the definition.
    pub agent: String,
    /// A digest of the definition: of what decides what the agent does and may do.
    pub definition: String,
    /// The name of the tool whose call began the run.
    pub tool: String,
}

impl RunOrigin {
    /// Creates the origin of a run of this agent, with the digest of its definition, that a call of this tool begins.
    pub fn new(agent: impl Into<String>, definition: impl Into<String>, tool: impl Into<String>) -> Self {
        Self { agent: agent.into(), definition: definition.into(), tool: tool.into() }
    }
}
