//! The tools of this crate that need nothing from outside.

use std::sync::Arc;

use windlass_tool::Tool;

use crate::{AskFollowupQuestion, AttemptCompletion, RequestUserInput, TodoList, UpdatePlan, UpdateTodoList};

/// The tools that need nothing from outside: the list of what is to do, questions and the end of the task.
///
/// `update_plan` is another way to write the same list; a preset offers one of the two.
pub fn tools(todos: &TodoList) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(UpdateTodoList::new(todos.clone())),
        Arc::new(AskFollowupQuestion::default()),
        Arc::new(AttemptCompletion::default()),
        Arc::new(UpdatePlan::new(todos.clone())),
        Arc::new(RequestUserInput::default()),
    ]
}
