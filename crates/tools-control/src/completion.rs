//! `attempt_completion`: the model reports that the task is done.

use serde::Deserialize;
use windlass_protocol::{Control, Effect, Hints, Payload, ResultStatus, Risk, ToolSpec};
use windlass_tool::{Context, Output, Question, Tool, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::TodoList;
use crate::spec::spec;

/// The tool `attempt_completion`, which ends the run with a result. With `with_review`, a human accepts the
/// result or reports the missing work, and the run continues with that answer (RULES L1).
#[derive(Debug)]
pub struct AttemptCompletion {
    spec: ToolSpec,
    review: Review,
    todos: Option<TodoList>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Review {
    None,
    Human,
}

#[derive(Deserialize)]
struct Arguments {
    result: String,
}

const SCHEMA: &str = r#"{"type":"object","properties":{"result":{"type":"string","description":"A summary of the work for the human, without a question at the end."}},"required":["result"],"additionalProperties":false}"#;

impl Default for AttemptCompletion {
    fn default() -> Self {
        let description = "Ends the task with its result. Call it alone, as the last thing, once every earlier \
            call has succeeded and the task is done and checked.";
        Self { spec: spec("attempt_completion", description, SCHEMA), review: Review::None, todos: None }
    }
}

impl AttemptCompletion {
    /// Asks a human to accept the result. If no human answers, the result counts as accepted.
    pub fn with_review(mut self) -> Self {
        self.review = Review::Human;
        self
    }

    /// Refuses the completion while an item of this list is not completed (RULES L2).
    pub fn with_todos(mut self, todos: TodoList) -> Self {
        self.todos = Some(todos);
        self
    }

    async fn review(&self, ctx: &Context, result: &str) -> Option<Output> {
        if self.review == Review::None {
            return None;
        }
        let question = Question::new(
            format!(
                "The agent reports that the task is done:\n{result}\nIs it? Answer yes, or say what is \
                 missing."
            ),
            vec!["yes".to_owned()],
        );
        let answer = ctx.ask(&question).await.ok()?;
        let accepted = matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes" | "ok");
        (!accepted).then(|| {
            Output::text(format!("The human did not accept the result and says: {answer}"))
                .with_status(ResultStatus::Denied)
        })
    }
}

impl Tool for AttemptCompletion {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { control: Control::Completion, risk: Risk::Low, ..Hints::default() }
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { result } = read_arguments(payload)?;
            let open = self.todos.as_ref().map(TodoList::open).unwrap_or_default();
            if !open.is_empty() {
                let text = format!(
                    "The completion was not accepted: these todos are open: {}. Do them, or take them off the list \
                     with update_todo_list, then complete.",
                    open.join("; ")
                );
                return Ok(Output::text(text).with_status(ResultStatus::Error));
            }
            let feedback = self.review(ctx, &result).await;
            Ok(feedback.unwrap_or_else(|| Output::text("The completion was accepted.")))
        })
    }
}
