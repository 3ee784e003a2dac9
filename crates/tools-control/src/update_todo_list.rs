//! `update_todo_list`: the model maintains a to-do list.

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::TodoList;
use crate::spec::spec;
use crate::todo::TodoArgument;

/// The tool `update_todo_list`, which replaces the to-do list.
///
/// The model sends the list as JSON objects or as a Markdown checklist.
#[derive(Debug)]
pub struct UpdateTodoList {
    spec: ToolSpec,
    list: TodoList,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    todos: TodoArgument,
}

const SCHEMA: &str = r#"{"type":"object","properties":{"todos":{"description":"The whole list, in order: objects, or a Markdown checklist with [ ] for to do, [-] for started and [x] for done.","anyOf":[{"type":"array","maxItems":100,"items":{"type":"object","properties":{"text":{"type":"string","description":"The step, in a few words."},"state":{"type":"string","enum":["pending","in_progress","completed"]}},"required":["text","state"],"additionalProperties":false}},{"type":"string"}]}},"required":["todos"],"additionalProperties":false}"#;

impl UpdateTodoList {
    /// Creates the tool for the given list.
    pub fn new(list: TodoList) -> Self {
        let description = "Replaces the todo list, for tasks of several steps. Give the whole list each \
                           time, with finished items marked as completed.";
        Self { spec: spec("update_todo_list", description, SCHEMA), list }
    }
}

impl Tool for UpdateTodoList {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { idempotent: true, ..Hints::read_only() }
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { todos } = read_arguments(payload)?;
            Ok(Output::text(self.list.replace(todos.items()?)?))
        })
    }
}
