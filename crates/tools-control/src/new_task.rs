//! `new_task`: the model hands a piece of the work to somebody else.

use std::fmt::{self, Write as _};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::Deserialize;
use windlass_protocol::{Control, Effect, Hints, Payload, Risk, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture, read_arguments};

use crate::TodoItem;
use crate::shortened::shortened;
use crate::spec::spec;
use crate::todo::{Written, check};

/// The longest task, in bytes: it is the whole first message of another agent.
const MAX_MESSAGE: usize = 100_000;
/// How much of a result the model is shown.
const MAX_RESULT: usize = 60_000;

/// A piece of work to be handed on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Task {
    /// In which mode, one of [`Tasks::modes`].
    pub mode: String,
    /// What is to be done. Whoever does it knows nothing else of the conversation.
    pub message: String,
    /// The steps that the model has thought of, possibly none.
    pub todos: Vec<TodoItem>,
}

/// A mode in which a task may be done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskMode {
    /// Its name, as `code`.
    pub name: String,
    /// What it is for, in a sentence.
    pub purpose: String,
}

impl TaskMode {
    /// A mode.
    pub fn new(name: impl Into<String>, purpose: impl Into<String>) -> Self {
        Self { name: name.into(), purpose: purpose.into() }
    }
}

/// The wait for the end of a task.
pub type TaskFuture<'a> = Pin<Box<dyn Future<Output = Result<String, ToolError>> + Send + 'a>>;

/// Somebody to whom tasks can be handed.
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
    /// The modes in which tasks are done, the same for the whole run.
    fn modes(&self) -> &[TaskMode];

    /// Whether a task that was cut off is gone on with when it is handed over again under the same key. By default it is
    /// not.
    fn is_resumable(&self) -> bool {
        false
    }

    /// Does a task and says what came of it. An error of [`ToolError::Model`] says why it was not done.
    ///
    /// Must be cancel-safe: a dropped future ends whatever it had started, and the context's token stops it in
    /// good order.
    fn perform<'a>(&'a self, ctx: &'a Context, task: Task) -> TaskFuture<'a>;
}

/// `new_task`: hands a piece of the work to somebody else and waits for what comes of it. It is the last call of its
/// answer (RULES L12).
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
    todos: Option<Written>,
}

const SCHEMA: &str = r#"{"type":"object","properties":{
"mode":{"type":"string","description":"One of the modes above."},
"message":{"type":"string","description":"All that is to be known: what is wanted, where, what was found out, what must not be touched, what to report."},
"todos":{"description":"The steps, where you know them: objects, or a Markdown checklist.","anyOf":[{"type":"array","maxItems":100,"items":{"type":"object","properties":{"text":{"type":"string"},"state":{"type":"string","enum":["pending","in_progress","completed"]}},"required":["text","state"],"additionalProperties":false}},{"type":"string"}]}
},"required":["mode","message"],"additionalProperties":false}"#;

impl NewTask {
    /// The tool that hands tasks to this somebody.
    pub fn new(tasks: Arc<dyn Tasks>) -> Self {
        let mut description = "Hands a piece of the work to another agent, which begins without any of this \
            conversation, and gives its report. It has to be the last call of an answer."
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
                "there is no mode `{mode}`, and no task was begun; the modes are: {}",
                names.join(", ")
            )));
        }
        if message.trim().is_empty() || message.len() > MAX_MESSAGE {
            return Err(ToolError::model(format!(
                "the message has {} bytes and no task was begun: say what is to be done in 1 to {MAX_MESSAGE} bytes",
                message.len()
            )));
        }
        let todos = todos.map(Written::items).transpose()?.unwrap_or_default();
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
            // Before it is cut: half a secret is not found.
            Ok(Output::text(shortened(&ctx.redactor().redact(&report), MAX_RESULT)))
        })
    }
}

impl fmt::Debug for NewTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewTask").field("modes", &self.tasks.modes()).finish_non_exhaustive()
    }
}
