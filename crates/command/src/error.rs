//! Why a text is not a simple command, and where.

use thiserror::Error;

/// Why a text is not a simple command: it may be harmless, but a human is asked.
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

    /// What was met.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The byte where it stands.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

/// What the literal lexer does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is longer than the limit.
    #[error("too many bytes")]
    TooLong,
    /// More simple commands than the limit.
    #[error("too many commands")]
    TooManyCommands,
    /// LF, CR, U+0085, U+2028 or U+2029: all of them count as separating commands.
    #[error("line break")]
    LineBreak,
    /// Another control character, a tab too.
    #[error("control character")]
    Control,
    /// A character outside ASCII: it may look like another one, or like nothing.
    #[error("character outside ascii")]
    NotAscii,
    /// `$` or a backtick where the shell would expand it, `$'..'` too.
    #[error("expansion")]
    Expansion,
    /// A backslash that the shell would read.
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
    /// `!`: a negation, or the history in an interactive shell.
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
    /// A redirection that is not one of the simple ones, or that stands before the program.
    #[error("redirection that is not simple")]
    Redirection,
    /// A quote without its end.
    #[error("quote without end")]
    UnclosedQuote,
    /// An operator without a command beside it, or no command at all.
    #[error("missing command")]
    MissingCommand,
    /// `NAME=value` before the program.
    #[error("assignment")]
    Assignment,
    /// A reserved word where a program is expected.
    #[error("reserved word")]
    Keyword,
    /// A program name that is quoted, a path, or not made of name characters.
    #[error("program name that is not plain")]
    ProgramName,
    /// Another character that means something to the shell.
    #[error("unexpected character")]
    Character,
}
