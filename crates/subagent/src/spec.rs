//! Functions for the specs and the calls of all tools in this crate.

use windlass_agent::CallingRun;
use windlass_protocol::{Concurrency, Hints, RawJson, Risk, ToolName, ToolSpec};
use windlass_tool::{Context, ToolError};

/// The maximum size of a task in bytes. The task is the first message to the agent.
pub(crate) const MAX_TASK: usize = 100_000;

/// Returns a spec with a constant schema.
pub(crate) fn spec(name: &str, description: &str, schema: &str) -> ToolSpec {
    let name = ToolName::new(name).expect("the name was checked, or is a constant that a test reads");
    let schema: RawJson = schema.parse().expect("the schema is a constant and a test reads it");
    ToolSpec::function(name, description, schema)
}

/// Returns the hints of tools that start agents. Such a call can be resumed from the agent's record and can
/// run in parallel with other calls.
pub(crate) fn begins_an_agent() -> Hints {
    Hints {
        resumable: true,
        concurrency: Concurrency::Parallel,
        risk: Risk::Medium,
        open_world: true,
        ..Hints::default()
    }
}

/// Returns the hints of tools that query or end an agent. Repeating such a call has no further effect.
pub(crate) fn agent_query_hints() -> Hints {
    Hints { risk: Risk::Low, idempotent: true, ..begins_an_agent() }
}

pub(crate) fn calling_run(ctx: &Context) -> Result<&CallingRun, ToolError> {
    CallingRun::from_context(ctx).ok_or_else(|| {
        ToolError::model(
            "this call is not made by an agent, so it cannot start another agent; nothing was started",
        )
    })
}

pub(crate) fn check_task(task: &str) -> Result<(), ToolError> {
    if task.trim().is_empty() || task.len() > MAX_TASK {
        return Err(ToolError::model(format!(
            "the task has {} bytes, 1 to {MAX_TASK} are allowed, and no agent was started",
            task.len()
        )));
    }
    Ok(())
}
