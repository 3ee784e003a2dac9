#![doc = include_str!("../README.md")]

mod blocking;
mod shortened;
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

mod document;
mod expansion;
mod library;
mod run_slash_command;
mod skill;
mod skills;
mod slash_commands;

mod mcp;

mod set;

pub use completion::AttemptCompletion;
pub use document::{Document, DocumentError};
pub use followup::AskFollowupQuestion;
pub use library::LeftOut;
pub use mcp::{AccessMcpResource, McpServers, UseMcpTool};
pub use new_task::{NewTask, Task, TaskFuture, TaskMode, Tasks};
pub use request_user_input::RequestUserInput;
pub use run_slash_command::RunSlashCommand;
pub use set::{Supplies, tools, tools_with};
pub use skill::SkillTool;
pub use skills::Skills;
pub use slash_commands::SlashCommands;
pub use switch_mode::SwitchMode;
pub use todo::{TodoItem, TodoList, TodoState};
pub use update_plan::UpdatePlan;
pub use update_todo_list::UpdateTodoList;
pub use view_image::ViewImage;
