//! The tools of this crate that need nothing from outside.

use std::sync::Arc;

use windlass_tool::Tool;

use crate::{AskFollowupQuestion, AttemptCompletion, TodoList, UpdateTodoList};

/// The tools that need nothing from outside: the list of what is to do, the question and the end of the task.
pub fn tools(todos: &TodoList) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(UpdateTodoList::new(todos.clone())),
        Arc::new(AskFollowupQuestion::default()),
        Arc::new(AttemptCompletion::default()),
    ]
}
