#![doc = include_str!("../README.md")]

mod completion;
mod followup;
mod new_task;
mod request_user_input;
mod set;
mod shortened;
mod spec;
mod todo;
mod update_plan;
mod update_todo_list;

pub use completion::AttemptCompletion;
pub use followup::AskFollowupQuestion;
pub use new_task::{NewTask, Task, TaskFuture, TaskMode, Tasks};
pub use request_user_input::RequestUserInput;
pub use set::tools;
pub use todo::{TodoItem, TodoList, TodoState};
pub use update_plan::UpdatePlan;
pub use update_todo_list::UpdateTodoList;
