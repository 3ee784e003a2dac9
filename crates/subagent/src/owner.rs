//! The owner of a record: the call that started an agent, and the definition of the agent. A record is
//! resumed only for its owner.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use windlass_agent::{Entry, RunOrigin};
use windlass_journal::Record;
use windlass_tool::ToolError;

use crate::AgentDefinition;

/// The name of the tool that starts background agents.
pub(crate) const SPAWN_AGENT: &str = "spawn_agent";
/// The name of the tool that gives a task to an agent in a work mode.
pub(crate) const NEW_TASK: &str = "new_task";

/// Returns the name of the tool that gives a task to an agent.
pub(crate) fn tool_of(agent: &str) -> String {
    format!("sub_agent_{agent}")
}

/// A call and the definition of the agent that it starts.
pub(crate) struct Owner<'a> {
    /// The key of the call, which is the id of the agent's run.
    pub(crate) key: &'a str,
    pub(crate) definition: &'a AgentDefinition,
    /// The name of the called tool.
    pub(crate) tool: &'a str,
}

impl Owner<'_> {
    /// Returns the origin that the agent's record stores.
    pub(crate) fn origin(&self) -> RunOrigin {
        RunOrigin::new(self.definition.name(), digest(self.definition), self.tool)
    }

    /// Checks that a record belongs to this call and this agent. An empty record passes. Records of earlier
    /// versions have no origin, and then only the existing fields are checked.
    ///
    /// # Errors
    /// Returns a result for the model if the record belongs to another call or agent.
    pub(crate) fn check(&self, records: &[Record]) -> Result<(), ToolError> {
        let Some((run, origin)) = read(records)? else { return Ok(()) };
        if !run.is_empty() && run != self.key {
            return Err(self.refusal(&format!("it belongs to the call {run}")));
        }
        match origin {
            Some(origin) if origin.agent != self.definition.name() => {
                Err(self.refusal(&format!("it belongs to the agent {}", origin.agent)))
            }
            Some(origin) if origin.tool != self.tool => {
                Err(self.refusal(&format!("a call of {} started it", origin.tool)))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the agent still has the definition with which its run began.
    ///
    /// # Errors
    /// Returns a result for the model if the definition has changed.
    pub(crate) fn check_definition(&self, records: &[Record]) -> Result<(), ToolError> {
        let origin = read(records)?.and_then(|(_, origin)| origin);
        if origin.is_some_and(|origin| origin.definition != digest(self.definition)) {
            return Err(self.refusal("its prompt, tools, model or mode have changed since it began"));
        }
        Ok(())
    }

    fn refusal(&self, why: &str) -> ToolError {
        ToolError::model(format!(
            "the agent {} was not resumed from its record, because {why}; nothing more was done",
            self.definition.name()
        ))
        .with_advice("Give the task to a new agent.")
    }
}

/// Returns the run id and the origin from the first entry; `None` without entries.
fn read(records: &[Record]) -> Result<Option<(String, Option<RunOrigin>)>, ToolError> {
    let Some(first) = records.first() else { return Ok(None) };
    match first.read::<Entry>() {
        Ok(Entry::Started { run, origin, .. }) => Ok(Some((run, origin))),
        _ => Err(ToolError::model("the record of this call is not the record of an agent; nothing was done")),
    }
}

/// Returns a digest of all fields that determine the agent's behaviour and rights. The description and the
/// number of turns do not.
fn digest(definition: &AgentDefinition) -> String {
    let AgentDefinition { name, prompt, tools, model, mode, is_read_only, may_delegate, .. } = definition;
    let decides = serde_json::json!([name, prompt, tools, model, mode, is_read_only, may_delegate]);
    let bytes = Sha256::digest(decides.to_string().as_bytes());
    bytes.iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
