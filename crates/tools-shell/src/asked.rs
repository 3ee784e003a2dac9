//! What a call asks to run, and what its words prove.

use windlass_command::{Access, Command, Effects, quote};
use windlass_tool::ToolError;

use crate::git;

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A program with its words, without a shell.
    Words(Vec<String>),
    /// A text for a shell.
    Text(String),
}

/// What has to be granted, by the words alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// It is proved to read only.
    Read,
    /// It is not.
    Write,
    /// One git command that writes the repository, and its work tree.
    Repository,
}

impl Asked {
    /// A text; one simple command is known by its words.
    pub(crate) fn text(text: String) -> Self {
        match Command::parse(&text) {
            Ok(command) => match command.single() {
                Some(simple) => Self::Words(simple.argv().to_vec()),
                None => Self::Text(text),
            },
            Err(_) => Self::Text(text),
        }
    }

    /// What a call gives: a text, or words.
    pub(crate) fn of(text: Option<&str>, argv: Option<&[String]>) -> Result<Self, ToolError> {
        let nul = "the command has a NUL character; give it without";
        match (text, argv) {
            (Some(text), None) if text.contains('\0') => Err(nul.into()),
            (Some(text), None) if !text.trim().is_empty() => Ok(Self::text(text.to_owned())),
            (None, Some(argv)) if argv.iter().any(|word| word.contains('\0')) => Err(nul.into()),
            (None, Some(argv)) if argv.first().is_some_and(|program| !program.is_empty()) => {
                Ok(Self::Words(argv.to_vec()))
            }
            (Some(_), Some(_)) => Err("give either `command` or `argv`, not both".into()),
            _ => Err("the command is empty; give `command` or `argv`".into()),
        }
    }

    /// As a shell would read it.
    pub(crate) fn command(&self) -> String {
        match self {
            Self::Words(argv) => argv.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" "),
            Self::Text(text) => text.clone(),
        }
    }

    pub(crate) fn need(&self) -> Need {
        let effects = match self {
            Self::Words(argv) => Effects::of_argv(argv),
            Self::Text(text) => match Command::parse(text) {
                Ok(command) => command.effects(),
                Err(_) => return Need::Write,
            },
        };
        match self {
            _ if effects.access() != Access::Unproven => Need::Read,
            Self::Words(argv) if git::writes_repository(argv) => Need::Repository,
            _ => Need::Write,
        }
    }
}

#[cfg(test)]
mod tests;
