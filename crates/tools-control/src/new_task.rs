//! `new_task`: the model delegates a part of its work.

use std::fmt::{self, Write as _};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::Deserialize;
use windlass_protocol::{Control, Effect, Hints, Payload, Risk, ToolSpec};
use windlass_text::shorten_middle;
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::TodoItem;
use crate::spec::spec;
use crate::todo::{TodoArgument, check};

/// The maximum length of a task's message, in bytes. The message is the whole first message of another agent.
const MAX_MESSAGE: usize = 100_000;
/// The maximum length of the report that the model gets, in bytes.
const MAX_RESULT: usize = 60_000;

/// A task to delegate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Task {
    /// The mode of the task, one of [`Tasks::modes`].
    pub mode: String,
    /// The instruction. The agent that performs the task sees nothing else of the conversation.
    pub message: String,
    /// The steps that the model proposes; may be empty.
    pub todos: Vec<TodoItem>,
}

/// A mode in which a task can be performed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskMode {
    /// The name, for example `code`.
    pub name: String,
    /// The purpose, in one sentence.
    pub purpose: String,
}

impl TaskMode {
    /// Creates a mode.
    pub fn new(name: impl Into<String>, purpose: impl Into<String>) -> Self {
        Self { name: name.into(), purpose: purpose.into() }
    }
}

/// The future of a task's report.
pub type TaskFuture<'a> = Pin<Box<dyn Future<Output = Result<String, ToolError>> + Send + 'a>>;

/// A performer of delegated tasks, for example one that starts sub-agents.
///
/// ```
/// use std::sync::Arc;
/// use windlass_tool::{Context, Tool};
/// use windlass_tools_control::{NewTask, Task, TaskFuture, TaskMode, Tasks};
///
/// struct Echo(Vec<TaskMode>);
///
/// impl Tasks for Echo {
///     fn modes(&self) -> &[TaskMode] {
///         &self.0
///     }
///     fn perform<'a>(&'a self, _: &'a Context, task: Task) -> TaskFuture<'a> {
///         Box::pin(async move { Ok(format!("did: {}", task.message)) })
///     }
/// }
///
/// let tool = NewTask::new(Arc::new(Echo(vec![TaskMode::new("code", "writes code")])));
/// assert_eq!(tool.spec().name().as_str(), "new_task");
/// ```
pub trait Tasks: Send + Sync {
    /// Returns the modes in which tasks can be performed. They must not change within a run.
    fn modes(&self) -> &[TaskMode];

    /// Returns true if an interrupted task is resumed when it is delegated again under the same key. The
    /// default is false.
    fn is_resumable(&self) -> bool {
        false
    }

    /// Performs a task and returns its report.
    ///
    /// # Errors
    /// A [`ToolError::Model`] with the reason why the task was not performed.
    ///
    /// # Cancel safety
    /// Must be cancel-safe: a dropped future ends everything that it started. The context's token requests an
    /// orderly stop.
    fn perform<'a>(&'a self, ctx: &'a Context, task: Task) -> TaskFuture<'a>;
}

/// The tool `new_task`, which delegates a part of the work and waits for the report. It has to be the last
/// call of its answer (RULES L12).
pub struct NewTask {
    spec: ToolSpec,
    tasks: Arc<dyn Tasks>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    mode: String,
    message: String,
    #[serde(default)]
    todos: Option<TodoArgument>,
}

const SCHEMA: &str = r#"{"type":"object","properties":{
"mode":{"type":"string","description":"One of the modes above."},
"message":{"type":"string","description":"Everything that the agent needs to know: the goal, the place, the findings so far, what must not be changed, what to report."},
"todos":{"description":"The steps, if you know them: objects, or a Markdown checklist.","anyOf":[{"type":"array","maxItems":100,"items":{"type":"object","properties":{"text":{"type":"string"},"state":{"type":"string","enum":["pending","in_progress","completed"]}},"required":["text","state"],"additionalProperties":false}},{"type":"string"}]}
},"required":["mode","message"],"additionalProperties":false}"#;

impl NewTask {
    /// Creates the tool for the given performer.
    pub fn new(tasks: Arc<dyn Tasks>) -> Self {
        let mut description = "Delegates a part of the work to another agent, which starts without this \
                               conversation, and returns its report. It has to be the last call of an answer."
            .to_owned();
        for mode in tasks.modes() {
            let _ = write!(description, "\n- {}: {}", mode.name, mode.purpose);
        }
        Self { spec: spec("new_task", &description, SCHEMA), tasks }
    }

    fn task(&self, payload: &Payload) -> Result<Task, ToolError> {
        let Arguments { mode, message, todos } = read_arguments(payload)?;
        let modes = self.tasks.modes();
        if modes.iter().all(|known| known.name != mode) {
            let names: Vec<_> = modes.iter().map(|known| known.name.as_str()).collect();
            return Err(ToolError::model(format!(
                "unknown mode `{mode}`, and no task was started; the modes are: {}",
                names.join(", ")
            )));
        }
        if message.trim().is_empty() || message.len() > MAX_MESSAGE {
            return Err(ToolError::model(format!(
                "the message has {} bytes, 1 to {MAX_MESSAGE} are allowed, and no task was started",
                message.len()
            )));
        }
        let todos = todos.map(TodoArgument::items).transpose()?.unwrap_or_default();
        check(&todos)?;
        Ok(Task { mode, message, todos })
    }
}

impl Tool for NewTask {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        let resumable = self.tasks.is_resumable();
        Hints { control: Control::Last, risk: Risk::Medium, resumable, ..Hints::default() }
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        match read_arguments::<Arguments>(payload) {
            Ok(arguments) => vec![Effect::Spawn { agent: arguments.mode }],
            Err(_) => vec![Effect::Unknown],
        }
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let task = self.task(payload)?;
            let report = self.tasks.perform(ctx, task).await?;
            // Redact before cutting: a secret that is cut in half is not found.
            Ok(Output::text(shorten_middle(&ctx.redactor().redact(&report), MAX_RESULT)))
        })
    }
}

impl fmt::Debug for NewTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewTask").field("modes", &self.tasks.modes()).finish_non_exhaustive()
    }
}
