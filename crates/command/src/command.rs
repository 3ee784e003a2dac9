//! Parsed literal commands: the simple commands, the operators between them, and their redirections.

use std::fmt;

use crate::{CommandLimits, Effects, Error, lexer, quote};

/// A shell command in literal form: bash gives it exactly the meaning that this type lists.
///
/// The text has only plain words, quotes without expansions, the operators `&&`, `||`, `;` and `|`, and
/// simple redirections. The parser refuses all other text with an [`ErrorKind`](crate::ErrorKind) and a byte
/// offset.
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
    /// Parses a text with the default limits.
    ///
    /// # Errors
    /// The text contains a part that bash may read as more than literal text; see
    /// [`ErrorKind`](crate::ErrorKind).
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::parse_with(text, CommandLimits::default())
    }

    /// Parses a text with the given limits.
    ///
    /// # Errors
    /// The errors of [`Command::parse`], for the given limits.
    pub fn parse_with(text: &str, limits: CommandLimits) -> Result<Self, Error> {
        Ok(Self { commands: lexer::lex(text, limits)? })
    }

    /// Returns the simple commands in the order of the text.
    pub fn commands(&self) -> &[Simple] {
        &self.commands
    }

    /// Returns the only simple command, or `None` if the text has several commands or a redirection. Such a
    /// command can be started without a shell.
    pub fn single(&self) -> Option<&Simple> {
        match self.commands.as_slice() {
            [only] if only.redirections.is_empty() => Some(only),
            _ => None,
        }
    }

    /// Assesses which programs the command would start, and which files it would read and write.
    pub fn effects(&self) -> Effects {
        Effects::from_command(self)
    }
}

/// Formats the command so that parsing the result returns an equal command.
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

/// A program with its arguments and redirections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simple {
    pub(crate) argv: Vec<String>,
    pub(crate) redirections: Vec<Redirection>,
    pub(crate) next: Option<Operator>,
}

impl Simple {
    /// Returns the program and its arguments; never empty.
    pub fn argv(&self) -> &[String] {
        &self.argv
    }

    /// Returns the name of the program. It never contains a folder, because the lexer refuses paths to
    /// programs.
    pub fn program(&self) -> &str {
        self.argv.first().map_or("", String::as_str)
    }

    /// Returns the redirections in the order in which bash performs them.
    pub fn redirections(&self) -> &[Redirection] {
        &self.redirections
    }

    /// Returns the operator between this command and the next one, or `None` for the last command.
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

/// An operator between two simple commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the lexer accepts these four and no more")]
pub enum Operator {
    /// `&&`: the next command runs if this one succeeds.
    And,
    /// `||`: the next command runs if this one fails.
    Or,
    /// `;`: the next command runs after this one.
    Then,
    /// `|`: both commands run, and the output of this one is the input of the next one.
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
    /// Standard output, descriptor 1.
    Output,
    /// Standard error, descriptor 2.
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

/// A redirection of one stream of a program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the lexer accepts these four and no more")]
pub enum Redirection {
    /// `< path`.
    Read {
        /// The file that is read.
        path: String,
    },
    /// `> path` or `2> path`: truncates the file first.
    Write {
        /// The redirected stream.
        stream: Stream,
        /// The file that is written.
        path: String,
    },
    /// `>> path` or `2>> path`.
    Append {
        /// The redirected stream.
        stream: Stream,
        /// The file to which the stream is appended.
        path: String,
    },
    /// `2>&1` or `1>&2`.
    Duplicate {
        /// The redirected stream.
        stream: Stream,
        /// The stream whose current target `stream` gets. A later redirection of `onto` does not change it.
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
