//! The system prompt of a run: instruction files of the user and of trusted projects, and facts about the machine.

mod facts;
mod files;
mod prompt;

pub use self::files::{InstructionFile, InstructionScope, Instructions};
pub use crate::config::PromptOptions;

pub(crate) use self::prompt::{complete_settings, compose_prompt};
