//! The command of a call, and the facts that its words prove.

use std::collections::BTreeSet;

use windlass_command::{Access, Command, Effects, TouchedPath, quote};
use windlass_tool::ToolError;

use crate::git;

/// The maximum number of different paths of a command. Each path is inspected, and a command with more of them
/// does not run: policy would not see where the links among the rest lead.
const MAX_PATHS: usize = 4096;

/// A command to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RequestedCommand {
    /// A program with its arguments, without a shell.
    Words(Vec<String>),
    /// A text for a shell.
    Text(String),
}

/// The rights that a command needs, by its words alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// The command is proved to be read-only.
    Read,
    /// The command may write.
    Write,
    /// A single git command that writes the repository and its work tree.
    Repository,
}

impl RequestedCommand {
    /// Creates a command from a text. A text with one simple command and no redirection becomes words.
    pub(crate) fn text(text: String) -> Self {
        match Command::parse(&text) {
            Ok(command) => match command.single() {
                Some(simple) => Self::Words(simple.argv().to_vec()),
                None => Self::Text(text),
            },
            Err(_) => Self::Text(text),
        }
    }

    /// Creates a command from the arguments of a call: either a text or words.
    pub(crate) fn from_arguments(text: Option<&str>, argv: Option<&[String]>) -> Result<Self, ToolError> {
        let nul = "the command has a NUL character, which an argument cannot have";
        match (text, argv) {
            (Some(text), None) if text.contains('\0') => Err(nul.into()),
            (Some(text), None) if !text.trim().is_empty() => Ok(Self::text(text.to_owned())),
            (None, Some(argv)) if argv.iter().any(|word| word.contains('\0')) => Err(nul.into()),
            (None, Some(argv)) if argv.first().is_some_and(|program| !program.is_empty()) => {
                Ok(Self::Words(argv.to_vec()))
            }
            (Some(_), Some(_)) => Err("the call has both `command` and `argv`".into()),
            _ => Err(ToolError::model("the command is empty").with_advice("Give `command` or `argv`.")),
        }
    }

    /// Returns the command in the syntax of a shell.
    pub(crate) fn command(&self) -> String {
        match self {
            Self::Words(argv) => argv.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" "),
            Self::Text(text) => text.clone(),
        }
    }

    /// Returns the effects of the command by its words, or `None` if the text is not a literal command.
    fn effects(&self) -> Option<Effects> {
        match self {
            Self::Words(argv) => Some(Effects::from_argv(argv)),
            Self::Text(text) => Command::parse(text).ok().map(|command| command.effects()),
        }
    }

    /// Returns the paths that the words name, without duplicates, for a command that starts in a folder of the
    /// workspace. Words that are possibly not paths are included.
    ///
    /// # Errors
    /// If there are more than `MAX_PATHS` of them.
    pub(crate) fn paths(&self, folder: &str) -> Result<BTreeSet<String>, ToolError> {
        let effects = self.effects();
        let touched = effects.iter().flat_map(Effects::touches);
        let placed = |touched: &TouchedPath| {
            let path = touched.path();
            let is_placed = touched.is_from_root() || path.starts_with('/') || matches!(folder, "" | ".");
            if is_placed { path.to_owned() } else { format!("{}/{path}", folder.trim_end_matches('/')) }
        };
        let mut paths = BTreeSet::new();
        for path in touched.map(placed) {
            paths.insert(path);
            if paths.len() > MAX_PATHS {
                let text = format!("nothing was run: the command names more than {MAX_PATHS} paths");
                return Err(ToolError::model(text).with_advice("Split it."));
            }
        }
        Ok(paths)
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
