#![doc = include_str!("../README.md")]

mod spec;

mod completion;
mod new_task;
mod switch_mode;

mod followup;
mod request_user_input;

mod todo;
mod update_plan;
mod update_todo_list;

mod picture;
mod view_image;

mod set;

pub use completion::AttemptCompletion;
pub use followup::AskFollowupQuestion;
pub use new_task::{NewTask, Task, TaskFuture, TaskMode, Tasks};
pub use request_user_input::RequestUserInput;
pub use set::{ControlResources, tools, tools_with};
pub use switch_mode::SwitchMode;
pub use todo::{TodoItem, TodoList, TodoState};
pub use update_plan::UpdatePlan;
pub use update_todo_list::UpdateTodoList;
pub use view_image::ViewImage;
