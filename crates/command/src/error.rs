//! The reason and the place where the literal lexer refuses a text.

use thiserror::Error;

/// The refusal of a text by the literal lexer. The command may be harmless, but a human has to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{kind} at byte {offset}")]
pub struct Error {
    kind: ErrorKind,
    offset: usize,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }

    /// Returns the reason for the refusal.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the offset in bytes of the refused part.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

/// A construct that the literal lexer does not accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is longer than the limit.
    #[error("too many bytes")]
    TooLong,
    /// The text has more simple commands than the limit.
    #[error("too many commands")]
    TooManyCommands,
    /// LF, CR, U+0085, U+2028 or U+2029: each of them is treated as a separator of commands.
    #[error("line break")]
    LineBreak,
    /// Another control character, for example a tab.
    #[error("control character")]
    Control,
    /// A character outside ASCII: it can look like a different character, or be invisible.
    #[error("character outside ascii")]
    NotAscii,
    /// `$` or a backtick that the shell would expand, also `$'..'`.
    #[error("expansion")]
    Expansion,
    /// A backslash that the shell would interpret.
    #[error("backslash")]
    Escape,
    /// `*`, `?`, `[` or `]`.
    #[error("glob")]
    Glob,
    /// `{` or `}`.
    #[error("brace")]
    Brace,
    /// `~`.
    #[error("tilde")]
    Tilde,
    /// `!`: a negation, or a history expansion in an interactive shell.
    #[error("exclamation mark")]
    Exclamation,
    /// `#`.
    #[error("comment")]
    Comment,
    /// `(` or `)`: a group, a function or a substitution.
    #[error("parenthesis")]
    Parenthesis,
    /// A single `&`.
    #[error("background operator")]
    Background,
    /// A redirection before the program, or of a form that is not supported, such as `3>` or `<<`.
    #[error("redirection that is not simple")]
    Redirection,
    /// A quote that is not closed.
    #[error("quote without end")]
    UnclosedQuote,
    /// An operator without a command on one side, or an empty text.
    #[error("missing command")]
    MissingCommand,
    /// `NAME=value` before the program.
    #[error("assignment")]
    Assignment,
    /// A reserved word in the position of a program.
    #[error("reserved word")]
    Keyword,
    /// A program name that is quoted, is a path, or contains a character outside letters, digits and `_.+-`.
    #[error("program name that is not plain")]
    ProgramName,
    /// Another character outside the accepted set, for example `^`.
    #[error("unexpected character")]
    Character,
}
