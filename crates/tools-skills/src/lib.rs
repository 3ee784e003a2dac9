#![doc = include_str!("../README.md")]

mod document;
mod expansion;
mod folder;
mod library;
mod spec;

mod skill;
mod skills;

mod run_slash_command;
mod slash_commands;

mod prompts;
mod set;

pub use document::{Document, DocumentError};
pub use folder::OmittedFile;
pub use prompts::{PromptError, PromptSummary};
pub use run_slash_command::RunSlashCommand;
pub use set::tools;
pub use skill::SkillTool;
pub use skills::Skills;
pub use slash_commands::SlashCommands;
