//! What a call asks to run, and what its words prove.

use std::collections::BTreeSet;

use windlass_command::{Access, Command, Effects, Touched, quote};
use windlass_tool::ToolError;

use crate::git;

/// The most paths of a command that are looked at. Plain words of a text have fewer bytes than twice as many would need.
const MAX_PATHS: usize = 4096;

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

    /// What the words say that the command does; nothing where it is not one of plain words.
    fn effects(&self) -> Option<Effects> {
        match self {
            Self::Words(argv) => Some(Effects::of_argv(argv)),
            Self::Text(text) => Command::parse(text).ok().map(|command| command.effects()),
        }
    }

    /// The paths that the words name, each once, for a command that starts in a folder of the workspace. What may not be a
    /// path is among them.
    pub(crate) fn paths(&self, folder: &str) -> BTreeSet<String> {
        let effects = self.effects();
        let touched = effects.iter().flat_map(Effects::touched);
        let placed = |touched: &Touched| {
            let path = touched.path();
            let is_placed = touched.is_from_root() || path.starts_with('/') || matches!(folder, "" | ".");
            if is_placed { path.to_owned() } else { format!("{}/{path}", folder.trim_end_matches('/')) }
        };
        touched.map(placed).take(MAX_PATHS).collect()
    }

    pub(crate) fn need(&self) -> Need {
        let Some(effects) = self.effects() else { return Need::Write };
        match self {
            _ if effects.access() != Access::Unproven => Need::Read,
            Self::Words(argv) if git::writes_repository(argv) => Need::Repository,
            _ => Need::Write,
        }
    }
}

#[cfg(test)]
mod tests;
