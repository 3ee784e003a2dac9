//! The origin of a run that another run began.

use serde::{Deserialize, Serialize};

/// The origin of a run that a call of another run started: the agent's definition and the called tool. The
/// origin is part of the record; the run's id, also recorded, identifies the call. A tool that resumes such a
/// run compares the origin with its present definition, so that a run never continues under another
/// definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunOrigin {
    /// The name of the definition.
    pub agent: String,
    /// A digest of the parts of the definition that determine the agent's behavior and permissions.
    pub definition: String,
    /// The name of the tool whose call started the run.
    pub tool: String,
}

impl RunOrigin {
    /// Creates the origin of a run from the agent's name, the digest of its definition, and the name of the
    /// tool.
    pub fn new(agent: impl Into<String>, definition: impl Into<String>, tool: impl Into<String>) -> Self {
        Self { agent: agent.into(), definition: definition.into(), tool: tool.into() }
    }
}
