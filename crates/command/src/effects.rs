//! What a command would do: the programs it starts, the files it reads and writes, and whether it provably only reads.

mod find;
mod git;
mod options;
mod programs;
mod sed;
mod wrapper;
mod writers;

use crate::{Command, Redirection, Simple};

/// Wrappers and quoted shells are looked through this deep.
const MAX_DEPTH: usize = 8;

/// What a command would run, read and write.
///
/// The paths are words of the command, not yet resolved: path rules judge them. What is not known to be harmless
/// is a [`Doubt`].
///
/// ```
/// use windlass_command::{Access, DoubtKind, Effects};
///
/// let effects = Effects::of_argv(&["sort".into(), "-o".into(), "out".into(), "in".into()]);
/// assert_eq!(effects.access(), Access::Unproven);
/// assert_eq!(effects.doubts()[0].kind(), DoubtKind::UnknownOption);
/// assert_eq!(effects.doubts()[0].word(), "-o");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    programs: Vec<Vec<String>>,
    reads: Vec<String>,
    writes: Vec<String>,
    doubts: Vec<Doubt>,
    sandbox: bool,
}

/// How much is proved about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a policy must say what each of these means to it")]
pub enum Access {
    /// It reads the listed files and writes nothing but its output.
    ReadOnly,
    /// The words only read, but the program obeys configuration that lies in the workspace (git): it may only be
    /// taken as reading inside a sandbox that holds it to that.
    NeedsSandbox,
    /// It writes, or it is not known what it does.
    Unproven,
}

/// Why a command is not proved to read only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    kind: DoubtKind,
    program: String,
    word: String,
}

impl Doubt {
    /// What is doubtful.
    pub fn kind(&self) -> DoubtKind {
        self.kind
    }

    /// The program whose word it is.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The word that is doubtful; the program's own name where it is the program.
    pub fn word(&self) -> &str {
        &self.word
    }
}

/// What kind of thing is doubtful.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DoubtKind {
    /// No validator knows this program, or it is named by a path.
    UnknownProgram,
    /// The program is known, this option of it is not, or is known to do more than read.
    UnknownOption,
    /// The program is known, but may not be given this operand.
    Operand,
    /// The program writes files.
    Writes,
    /// The program runs what another rule or identity decides: `sudo`, `xargs`, a shell whose text is not simple.
    Runs,
}

impl Effects {
    /// The effects of a program started without a shell. The words may hold anything.
    pub fn of_argv(argv: &[String]) -> Self {
        let mut effects = Self::default();
        effects.add_argv(argv, 0);
        effects
    }

    pub(crate) fn of_command(command: &Command) -> Self {
        let mut effects = Self::default();
        effects.add_command(command, 0);
        effects
    }

    /// Every program with its words, a wrapper first and then what it wraps.
    pub fn programs(&self) -> &[Vec<String>] {
        &self.programs
    }

    /// The paths that are read, as written; folders are read with all that is in them.
    pub fn reads(&self) -> &[String] {
        &self.reads
    }

    /// The paths that are written, made, changed or removed, as written.
    pub fn writes(&self) -> &[String] {
        &self.writes
    }

    /// Why the command is not proved to read only.
    pub fn doubts(&self) -> &[Doubt] {
        &self.doubts
    }

    /// How much is proved.
    pub fn access(&self) -> Access {
        if !self.doubts.is_empty() || !self.writes.is_empty() {
            Access::Unproven
        } else if self.sandbox {
            Access::NeedsSandbox
        } else {
            Access::ReadOnly
        }
    }

    fn add_command(&mut self, command: &Command, depth: usize) {
        for simple in command.commands() {
            self.add_argv(simple.argv(), depth);
            self.add_redirections(simple);
        }
    }

    fn add_redirections(&mut self, simple: &Simple) {
        for redirection in simple.redirections() {
            match redirection {
                Redirection::Read { path } => self.reads.push(path.clone()),
                Redirection::Write { path, .. } | Redirection::Append { path, .. } => {
                    if path != "/dev/null" {
                        self.writes.push(path.clone());
                    }
                }
                Redirection::Duplicate { .. } => {}
            }
        }
    }

    fn add_argv(&mut self, argv: &[String], depth: usize) {
        self.programs.push(argv.to_vec());
        let Some((program, arguments)) = argv.split_first() else {
            return self.doubt(DoubtKind::UnknownProgram, "", "");
        };
        if depth >= MAX_DEPTH {
            return self.doubt(DoubtKind::Runs, program, program);
        }
        match program.as_str() {
            "find" => find::judge(self, arguments),
            "sed" => sed::judge(self, arguments),
            "git" => git::judge(self, arguments),
            name => {
                let known = wrapper::judge(self, name, arguments, depth)
                    || writers::judge(self, name, arguments)
                    || programs::judge(self, name, arguments);
                if !known {
                    self.doubt(DoubtKind::UnknownProgram, program, program);
                }
            }
        }
    }

    fn doubt(&mut self, kind: DoubtKind, program: &str, word: &str) {
        self.doubts.push(Doubt { kind, program: program.to_owned(), word: word.to_owned() });
    }

    fn read(&mut self, path: &str) {
        if path != "-" {
            self.reads.push(path.to_owned());
        }
    }
}
