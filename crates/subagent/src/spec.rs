//! What the specs and calls of this crate's tools have in common.

use windlass_agent::CallingRun;
use windlass_protocol::{Concurrency, Hints, RawJson, Risk, ToolName, ToolSpec};
use windlass_tool::{Context, ToolError};

/// The longest task, in bytes: it is the whole first message of another agent.
pub(crate) const MAX_TASK: usize = 100_000;

/// A spec whose name and schema are written in this program.
pub(crate) fn spec(name: &str, description: &str, schema: &str) -> ToolSpec {
    let name = ToolName::new(name).expect("the name was checked, or is a constant that a test reads");
    let schema: RawJson = schema.parse().expect("the schema is a constant and a test reads it");
    ToolSpec::function(name, description, schema)
}

/// What begins an agent: it goes on from its own record, and others may run beside it.
pub(crate) fn begins_an_agent() -> Hints {
    Hints {
        resumable: true,
        concurrency: Concurrency::Parallel,
        risk: Risk::Medium,
        open_world: true,
        ..Hints::default()
    }
}

/// What asks about an agent that works, or ends it: doing it again does nothing more.
pub(crate) fn about_an_agent() -> Hints {
    Hints { risk: Risk::Low, idempotent: true, ..begins_an_agent() }
}

pub(crate) fn calling_run(ctx: &Context) -> Result<&CallingRun, ToolError> {
    CallingRun::of(ctx).ok_or_else(|| {
        ToolError::model(
            "no agent makes this call, so that there is none to begin another; nothing was begun",
        )
    })
}

pub(crate) fn check_task(task: &str) -> Result<(), ToolError> {
    if task.trim().is_empty() || task.len() > MAX_TASK {
        return Err(ToolError::model(format!(
            "the task has {} bytes and no agent was begun: say what is to be done in 1 to {MAX_TASK} bytes",
            task.len()
        )));
    }
    Ok(())
}
