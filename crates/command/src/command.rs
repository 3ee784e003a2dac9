//! What a literal command says: its simple commands, how they are joined, and where their streams go.

use std::fmt;

use crate::{Effects, Error, Limits, lexer, quote};

/// A command that means to bash exactly what is listed here.
///
/// ```
/// use windlass_command::{Access, Command, ErrorKind};
///
/// let command = Command::parse("cat 'my notes.txt' | head -n 3")?;
/// assert_eq!(command.commands()[0].argv(), ["cat", "my notes.txt"]);
/// assert_eq!(command.effects().access(), Access::ReadOnly);
///
/// let refused = Command::parse("cat $HOME/notes").unwrap_err();
/// assert_eq!((refused.kind(), refused.offset()), (ErrorKind::Expansion, 4));
/// # Ok::<(), windlass_command::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    commands: Vec<Simple>,
}

impl Command {
    /// Reads a text with the default limits.
    ///
    /// # Errors
    /// The text holds anything whose meaning is not on its face; see [`ErrorKind`](crate::ErrorKind).
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::parse_with(text, Limits::default())
    }

    /// Reads a text.
    ///
    /// # Errors
    /// As [`Command::parse`], or the text is beyond a limit.
    pub fn parse_with(text: &str, limits: Limits) -> Result<Self, Error> {
        Ok(Self { commands: lexer::lex(text, limits)? })
    }

    /// The simple commands in the order of the text.
    pub fn commands(&self) -> &[Simple] {
        &self.commands
    }

    /// The only simple command, where there is just one and nothing is redirected: such a command needs no shell.
    pub fn single(&self) -> Option<&Simple> {
        match self.commands.as_slice() {
            [only] if only.redirections.is_empty() => Some(only),
            _ => None,
        }
    }

    /// What the command would run, read and write.
    pub fn effects(&self) -> Effects {
        Effects::of_command(self)
    }
}

/// Writes the command so that reading it again gives the same command.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for simple in &self.commands {
            write!(f, "{simple}")?;
            if let Some(operator) = simple.next {
                write!(f, " {operator} ")?;
            }
        }
        Ok(())
    }
}

/// One program with its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simple {
    pub(crate) argv: Vec<String>,
    pub(crate) redirections: Vec<Redirection>,
    pub(crate) next: Option<Operator>,
}

impl Simple {
    /// The program and its arguments; never empty.
    pub fn argv(&self) -> &[String] {
        &self.argv
    }

    /// The program's name, without a folder.
    pub fn program(&self) -> &str {
        self.argv.first().map_or("", String::as_str)
    }

    /// Where its streams go, in the order in which bash opens them.
    pub fn redirections(&self) -> &[Redirection] {
        &self.redirections
    }

    /// The operator between this command and the next; none for the last.
    pub fn next(&self) -> Option<Operator> {
        self.next
    }
}

impl fmt::Display for Simple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.argv.iter().enumerate() {
            let gap = if index == 0 { "" } else { " " };
            write!(f, "{gap}{}", quote(word))?;
        }
        for redirection in &self.redirections {
            write!(f, " {redirection}")?;
        }
        Ok(())
    }
}

/// What stands between two simple commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the lexer accepts these four and no more")]
pub enum Operator {
    /// `&&`: the next runs if this one succeeds.
    And,
    /// `||`: the next runs if this one fails.
    Or,
    /// `;`: the next runs afterwards.
    Then,
    /// `|`: both run, and the output of this one is the input of the next.
    Pipe,
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::And => "&&",
            Self::Or => "||",
            Self::Then => ";",
            Self::Pipe => "|",
        })
    }
}

/// A stream that a program writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the lexer accepts descriptors 1 and 2 and no more")]
pub enum Stream {
    /// Descriptor 1.
    Output,
    /// Descriptor 2.
    Error,
}

impl Stream {
    fn number(self) -> u8 {
        match self {
            Self::Output => 1,
            Self::Error => 2,
        }
    }
}

/// Where one stream of a program goes to or comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the lexer accepts these four and no more")]
pub enum Redirection {
    /// `< path`.
    Read {
        /// What is read.
        path: String,
    },
    /// `> path` or `2> path`: the file is emptied first.
    Write {
        /// The stream that is sent there.
        stream: Stream,
        /// What is written.
        path: String,
    },
    /// `>> path` or `2>> path`.
    Append {
        /// The stream that is sent there.
        stream: Stream,
        /// What is appended to.
        path: String,
    },
    /// `2>&1` or `1>&2`.
    Duplicate {
        /// The stream that is sent elsewhere.
        stream: Stream,
        /// The stream whose place it takes, as that one stands at this point.
        onto: Stream,
    },
}

impl fmt::Display for Redirection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path } => write!(f, "< {}", quote(path)),
            Self::Write { stream, path } => write!(f, "{}> {}", stream.number(), quote(path)),
            Self::Append { stream, path } => write!(f, "{}>> {}", stream.number(), quote(path)),
            Self::Duplicate { stream, onto } => write!(f, "{}>&{}", stream.number(), onto.number()),
        }
    }
}
