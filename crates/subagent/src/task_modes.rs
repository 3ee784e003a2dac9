//! The tool `new_task`: it starts an agent whose role comes from a work mode.

use std::fmt::Write as _;
use std::sync::Arc;

use windlass_tool::{Context, ToolError};
use windlass_tools_control::{Task, TaskFuture, TaskMode, Tasks};

use crate::AgentDefinition;
use crate::child::Child;
use crate::owner::NEW_TASK;
use crate::registry::AgentRegistry;
use crate::spec::calling_run;

/// The implementation of tasks in work modes.
pub(crate) struct TaskModes {
    registry: Arc<AgentRegistry>,
    modes: Vec<TaskMode>,
}

impl TaskModes {
    pub(crate) fn new(registry: Arc<AgentRegistry>, modes: Vec<TaskMode>) -> Self {
        Self { registry, modes }
    }
}

impl Tasks for TaskModes {
    fn modes(&self) -> &[TaskMode] {
        &self.modes
    }

    fn is_resumable(&self) -> bool {
        true
    }

    fn perform<'a>(&'a self, ctx: &'a Context, task: Task) -> TaskFuture<'a> {
        Box::pin(async move {
            let run = calling_run(ctx)?;
            let _place = self.registry.place(run, ctx).await?;
            let prompt = format!("You are an agent that does one task in the mode {}.", task.mode);
            let definition = AgentDefinition::new_unchecked(task.mode.clone(), String::new(), prompt)
                .with_mode(task.mode.as_str())
                .with_delegation();
            let key = ctx.idempotency_key().to_owned();
            let child = Child { registry: &self.registry, run, definition: &definition, tool: NEW_TASK, key };
            let output = child.perform(ctx, &message(&task), run.options(ctx), None).await?;
            if output.status.is_ok() { Ok(output.words()) } else { Err(ToolError::model(output.words())) }
        })
    }
}

fn message(task: &Task) -> String {
    let mut message = task.message.clone();
    if !task.todos.is_empty() {
        message.push_str("\n\nThe suggested steps:");
    }
    for todo in &task.todos {
        let _ = write!(message, "\n- {}", todo.text);
    }
    message
}
