//! `update_plan`: the to-do list in the form for models that were trained on plans.

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_tool::{Context, Output, Progress, Tool, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::spec::spec;
use crate::{TodoItem, TodoList, TodoState};

/// The tool `update_plan`, which replaces the steps of the plan. The plan is the same [`TodoList`] as that of
/// [`UpdateTodoList`](crate::UpdateTodoList); offer a model only one of the two tools.
#[derive(Debug)]
pub struct UpdatePlan {
    spec: ToolSpec,
    list: TodoList,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(default)]
    explanation: Option<String>,
    plan: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    step: String,
    status: TodoState,
}

const SCHEMA: &str = r#"{"type":"object","properties":{
"explanation":{"type":"string","description":"The reason for the change of the plan, in a sentence, for the human."},
"plan":{"type":"array","maxItems":100,"description":"All steps, in order.","items":{"type":"object","properties":{
"step":{"type":"string","description":"The step, in a few words."},
"status":{"type":"string","enum":["pending","in_progress","completed"]}
},"required":["step","status"],"additionalProperties":false}}
},"required":["plan"],"additionalProperties":false}"#;

impl UpdatePlan {
    /// Creates the tool for the given list.
    pub fn new(list: TodoList) -> Self {
        let description = "Replaces the plan of a task of several steps. Give all steps each time. One step at a \
            time is in_progress; mark it completed before you begin the next.";
        Self { spec: spec("update_plan", description, SCHEMA), list }
    }
}

impl Tool for UpdatePlan {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { idempotent: true, ..Hints::read_only() }
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { explanation, plan } = read_arguments(payload)?;
            let items = plan.into_iter().map(|step| TodoItem::new(step.step, step.status)).collect();
            let text = self.list.replace(items)?;
            if let Some(explanation) = explanation.filter(|words| !words.trim().is_empty()) {
                ctx.tell(Progress::Note(explanation));
            }
            Ok(Output::text(text))
        })
    }
}
