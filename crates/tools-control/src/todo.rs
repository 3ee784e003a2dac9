//! `update_todo_list`: the model keeps a list of what is to do.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolFuture, read_arguments};

use crate::spec::spec;

/// How far something on the list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "before, during, after")]
pub enum TodoState {
    /// Not begun.
    Pending,
    /// Begun.
    InProgress,
    /// Done.
    Completed,
}

/// Something to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TodoItem {
    /// What.
    pub text: String,
    /// How far it is.
    pub state: TodoState,
}

/// The list of what is to do, shared between the tools that write and read it. Clones are the same list.
#[derive(Clone, Debug, Default)]
pub struct TodoList {
    items: Arc<Mutex<Vec<TodoItem>>>,
}

impl TodoList {
    /// All of it.
    pub fn items(&self) -> Vec<TodoItem> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The texts of what is not done.
    pub fn open(&self) -> Vec<String> {
        self.items()
            .into_iter()
            .filter(|item| item.state != TodoState::Completed)
            .map(|item| item.text)
            .collect()
    }

    fn replace(&self, items: Vec<TodoItem>) {
        *self.items.lock().unwrap_or_else(PoisonError::into_inner) = items;
    }
}

/// `update_todo_list`: replaces the list of what is to do.
#[derive(Debug)]
pub struct UpdateTodoList {
    spec: ToolSpec,
    list: TodoList,
}

#[derive(Deserialize)]
struct Arguments {
    todos: Vec<TodoItem>,
}

const SCHEMA: &str = r#"{"type":"object","properties":{"todos":{"type":"array","maxItems":100,"description":"The whole list, in order.","items":{"type":"object","properties":{"text":{"type":"string","description":"What is to do, in a few words."},"state":{"type":"string","enum":["pending","in_progress","completed"]}},"required":["text","state"],"additionalProperties":false}}},"required":["todos"],"additionalProperties":false}"#;

impl UpdateTodoList {
    /// The tool that writes this list.
    pub fn new(list: TodoList) -> Self {
        let description = "Replaces the list of what is to do, for tasks of several steps. Give the whole list each \
            time, with what is done marked as completed.";
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
            let mut text = "The list is now:".to_owned();
            for item in &todos {
                let mark = match item.state {
                    TodoState::Pending => ' ',
                    TodoState::InProgress => '~',
                    TodoState::Completed => 'x',
                };
                let _ = write!(text, "\n[{mark}] {}", item.text);
            }
            self.list.replace(todos);
            Ok(Output::text(text))
        })
    }
}
