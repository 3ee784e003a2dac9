//! Slash commands and skills as prompts that a person chooses, outside of a run.

use crate::expansion::{MAX_EXPANDED, expand};
use crate::library::LibraryFile;
use crate::skills::Skill;
use crate::slash_commands::SlashCommand;
use crate::{Skills, SlashCommands};

/// The maximum length of a command's arguments, in bytes.
pub(crate) const MAX_ARGUMENTS: usize = 10_000;

/// The name and the description of a command or a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptSummary {
    /// The name, without a slash.
    pub name: String,
    /// The description in the front matter, if the file has one.
    pub description: Option<String>,
    /// The `argument-hint` of a command.
    pub hint: Option<String>,
    /// The label of the folder, such as `user` or `project`.
    pub folder: String,
}

/// Error of reading the text of a command or a skill.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// No file has this name.
    #[error("{name:?} is unknown")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The file changed since it was listed, and cannot be read.
    #[error("the file of {name:?} cannot be read: {why}")]
    Unreadable {
        /// The name.
        name: String,
        /// The reason.
        why: String,
    },
    /// The arguments are too long.
    #[error("the arguments have {bytes} bytes, at most {MAX_ARGUMENTS} are allowed")]
    ArgumentsTooLong {
        /// Their length.
        bytes: usize,
    },
    /// The text with the arguments is too long.
    #[error("{name:?} with these arguments is longer than {MAX_EXPANDED} bytes")]
    TooLong {
        /// The name.
        name: String,
    },
}

impl SlashCommands {
    /// Returns the commands, sorted by name.
    pub fn summaries(&self) -> Vec<PromptSummary> {
        let summary = |(name, command): (&str, &SlashCommand)| PromptSummary {
            name: name.to_owned(),
            description: command.description.clone(),
            hint: command.hint.clone(),
            folder: command.file.source.label.clone(),
        };
        self.library.iter().map(summary).collect()
    }

    /// Returns the text of a command with its arguments inserted. Reads the file, so it must not run on an async
    /// thread.
    ///
    /// # Errors
    /// If the command is unknown, its file cannot be read, or a text is too long.
    pub fn expand(&self, name: &str, arguments: &str) -> Result<String, PromptError> {
        let command = self.library.get(name).ok_or_else(|| PromptError::Unknown { name: name.to_owned() })?;
        if arguments.len() > MAX_ARGUMENTS {
            return Err(PromptError::ArgumentsTooLong { bytes: arguments.len() });
        }
        let body = read_body(name, &command.file)?;
        expand(&body, arguments).ok_or_else(|| PromptError::TooLong { name: name.to_owned() })
    }
}

impl Skills {
    /// Returns the skills, sorted by name.
    pub fn summaries(&self) -> Vec<PromptSummary> {
        let summary = |(name, skill): (&str, &Skill)| PromptSummary {
            name: name.to_owned(),
            description: Some(skill.description.clone()),
            hint: None,
            folder: skill.file.source.label.clone(),
        };
        self.library.iter().map(summary).collect()
    }

    /// Returns the instructions of a skill without its other files. Reads the file, so it must not run on an async
    /// thread.
    ///
    /// # Errors
    /// If the skill is unknown, or its file cannot be read.
    pub fn instructions(&self, name: &str) -> Result<String, PromptError> {
        let skill = self.library.get(name).ok_or_else(|| PromptError::Unknown { name: name.to_owned() })?;
        read_body(name, &skill.file)
    }
}

fn read_body(name: &str, file: &LibraryFile) -> Result<String, PromptError> {
    file.read_body().map_err(|why| PromptError::Unreadable { name: name.to_owned(), why })
}
