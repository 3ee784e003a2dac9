//! Reasons why a command is not proved to be read-only.

/// A reason why a command is not proved to be read-only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    kind: DoubtKind,
    program: String,
    word: String,
}

impl Doubt {
    pub(super) fn new(kind: DoubtKind, program: &str, word: &str) -> Self {
        Self { kind, program: program.to_owned(), word: word.to_owned() }
    }

    /// Returns the kind of this doubt.
    pub fn kind(&self) -> DoubtKind {
        self.kind
    }

    /// Returns the program to which the doubtful word belongs.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Returns the doubtful word, or the name of the program if the doubt is about the program itself.
    pub fn word(&self) -> &str {
        &self.word
    }
}

/// The kind of a doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DoubtKind {
    /// No list has this program, or a path names it.
    UnknownProgram,
    /// The program is known, but this option is unknown or does more than read.
    UnknownOption,
    /// The program is known, but this operand may make it do more than read.
    Operand,
    /// The program writes files.
    Writes,
    /// The command has more bytes than are assessed ([`MAX_SCAN_BYTES`](crate::MAX_SCAN_BYTES)).
    TooMuch,
    /// The program runs another program in a way that is not assessed: with another identity (`sudo`), with
    /// words from its input (`xargs`), or through a shell whose text is not simple.
    Runs,
}
