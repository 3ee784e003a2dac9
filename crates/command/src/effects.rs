//! What a command would do: the programs it starts, the files it reads and writes, and whether it provably only reads.

mod find;
mod git;
mod options;
mod programs;
mod sed;
mod touched;
mod unknown;
mod wrapper;
mod writers;

pub use touched::{TouchKind, Touched};

use crate::kind::{self, ProgramKind};
use crate::{Command, Excess, MAX_SCAN_BYTES, Redirection, Simple};

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
    touched: Vec<Touched>,
    sandbox: bool,
    excess: Option<Excess>,
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
    /// There are more words than are judged.
    TooMuch,
    /// The program runs what another rule or identity decides: `sudo`, `xargs`, a shell whose text is not simple.
    Runs,
}

impl Effects {
    /// The effects of a program started without a shell. The words may hold anything.
    pub fn of_argv(argv: &[String]) -> Self {
        let mut effects = Self::default();
        if argv.iter().map(|word| word.len().saturating_add(1)).sum::<usize>() > MAX_SCAN_BYTES {
            let program: String =
                argv.first().map(|word| word.chars().take(64).collect()).unwrap_or_default();
            effects.excess = Some(Excess::Bytes);
            effects.doubt(DoubtKind::TooMuch, &program, &program);
            effects.programs.push(vec![program]);
            return effects;
        }
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

    /// Returns every file and folder that is touched, with what happens to it and how far it goes. What `reads` and
    /// `writes` have is among them.
    pub fn touched(&self) -> &[Touched] {
        &self.touched
    }

    /// Returns why the words were not judged, if they were not. There is a doubt then as well.
    pub fn excess(&self) -> Option<Excess> {
        self.excess
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
                Redirection::Read { path } => self.read(path),
                Redirection::Write { path, .. } | Redirection::Append { path, .. } => {
                    if path != "/dev/null" {
                        self.write(path);
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
                    let runs = kind::program_kind(program) == ProgramKind::Wrapper;
                    let doubt = if runs { DoubtKind::Runs } else { DoubtKind::UnknownProgram };
                    self.doubt(doubt, program, program);
                    unknown::judge(self, &kind::table_name(program), arguments);
                }
            }
        }
    }

    fn doubt(&mut self, kind: DoubtKind, program: &str, word: &str) {
        self.doubts.push(Doubt { kind, program: program.to_owned(), word: word.to_owned() });
    }

    /// A file that is read, or the names in a folder.
    fn read(&mut self, path: &str) {
        if path != "-" {
            self.reads.push(path.to_owned());
            self.touch(TouchKind::Read, path, false);
        }
    }

    /// A folder that is read with all that is below it, or a file.
    fn read_tree(&mut self, path: &str) {
        if path != "-" {
            self.reads.push(path.to_owned());
            self.touch(TouchKind::Read, path, true);
        }
    }

    fn write(&mut self, path: &str) {
        self.writes.push(path.to_owned());
        self.touch(TouchKind::Write, path, false);
    }

    fn write_tree(&mut self, path: &str) {
        self.writes.push(path.to_owned());
        self.touch(TouchKind::Write, path, true);
    }

    fn delete(&mut self, path: &str, below: bool) {
        self.writes.push(path.to_owned());
        self.touch(TouchKind::Delete, path, below);
    }

    fn touch(&mut self, kind: TouchKind, path: &str, below: bool) {
        self.touched.push(Touched { path: path.to_owned(), kind, below, sure: true, from_root: false });
    }

    /// What a word may stand for, without saying that it does.
    fn may_touch(&mut self, kind: TouchKind, path: &str) {
        if !path.is_empty() && path != "-" {
            let below = kind != TouchKind::Any;
            self.touched.push(Touched { path: path.to_owned(), kind, below, sure: false, from_root: false });
        }
    }

    /// Links below a folder are followed, and may lead anywhere in the workspace.
    fn may_read_all(&mut self) {
        let (path, kind) = (".".to_owned(), TouchKind::Read);
        self.touched.push(Touched { path, kind, below: true, sure: false, from_root: true });
    }

    /// A path that begins at the top of the repository; the whole of it is `.`.
    fn read_repository(&mut self, path: &str, below: bool) {
        let path = if path.is_empty() { "." } else { path };
        let kind = TouchKind::Read;
        self.touched.push(Touched { path: path.to_owned(), kind, below, sure: true, from_root: true });
    }
}

/// The names of the programs of which a list here says what they do.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    programs::names().chain(writers::NAMES.iter().map(|(name, _)| *name))
}

/// The paths that a program of this name writes, by the list of those that write.
pub(crate) fn written(name: &str, arguments: &[String]) -> Vec<String> {
    let mut effects = Effects::default();
    if !writers::judge(&mut effects, name, arguments) {
        unknown::judge(&mut effects, name, arguments);
    }
    effects.writes
}
