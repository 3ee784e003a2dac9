#![doc = include_str!("../README.md")]

mod completion;
mod followup;
mod set;
mod spec;
mod todo;

pub use completion::AttemptCompletion;
pub use followup::AskFollowupQuestion;
pub use set::tools;
pub use todo::{TodoItem, TodoList, TodoState, UpdateTodoList};
