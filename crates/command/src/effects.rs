//! Effects of a command: its programs, the files that it reads and writes, and a proof that it only reads, if
//! there is one.

mod doubt;
mod find;
mod git;
mod options;
mod programs;
mod recorder;
mod sed;
mod touched;
mod unknown;
mod wrapper;
mod writers;

pub use doubt::{Doubt, DoubtKind};
pub use touched::{TouchKind, TouchedPath};

use recorder::{Recorder, WrittenPaths};

use crate::kind::{self, ProgramKind};
use crate::{Command, Excess, MAX_SCAN_BYTES, Redirection, Simple};

/// Maximum depth of wrappers and of texts for shells.
const MAX_DEPTH: usize = 8;

/// The programs of a command, the files that it reads and writes, and the doubts about it.
///
/// The paths are words of the command and are not resolved; path rules assess them. Each part of the command
/// that is not known to be harmless adds a [`Doubt`].
///
/// ```
/// use windlass_command::{Access, DoubtKind, Effects};
///
/// let effects = Effects::from_argv(&["sort".into(), "-o".into(), "out".into(), "in".into()]);
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
    touched: Vec<TouchedPath>,
    sandbox: bool,
    excess: Option<Excess>,
}

/// The degree to which a command is proved to be harmless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a policy must handle each of these")]
pub enum Access {
    /// It reads the listed files, and writes only to its standard streams.
    ReadOnly,
    /// The words only read, but the program obeys configuration in the workspace, as git does. Treat it as
    /// reading only inside a sandbox that enforces this.
    NeedsSandbox,
    /// It writes files, or its effects are unknown.
    Unproven,
}

impl<'a> Recorder<'a> for Effects {
    fn doubt(&mut self, kind: DoubtKind, program: &str, word: &str) {
        self.doubts.push(Doubt::new(kind, program, word));
    }

    fn read(&mut self, path: &'a str) {
        if path != "-" {
            self.reads.push(path.to_owned());
            self.touch(TouchKind::Read, path, false);
        }
    }

    fn read_tree(&mut self, path: &'a str) {
        if path != "-" {
            self.reads.push(path.to_owned());
            self.touch(TouchKind::Read, path, true);
        }
    }

    fn write(&mut self, path: &'a str) {
        self.writes.push(path.to_owned());
        self.touch(TouchKind::Write, path, false);
    }

    fn write_tree(&mut self, path: &'a str) {
        self.writes.push(path.to_owned());
        self.touch(TouchKind::Write, path, true);
    }

    fn delete(&mut self, path: &'a str, below: bool) {
        self.writes.push(path.to_owned());
        self.touch(TouchKind::Delete, path, below);
    }

    fn touch(&mut self, kind: TouchKind, path: &str, below: bool) {
        self.touched.push(TouchedPath { path: path.to_owned(), kind, below, sure: true, from_root: false });
    }

    fn may_touch(&mut self, kind: TouchKind, path: &str) {
        if !path.is_empty() && path != "-" {
            let below = kind != TouchKind::Any;
            self.touched.push(TouchedPath {
                path: path.to_owned(),
                kind,
                below,
                sure: false,
                from_root: false,
            });
        }
    }

    fn copy_into(&mut self, folder: &str, source: &str) {
        let last = source.trim_end_matches('/').rsplit('/').next().unwrap_or(source);
        self.touch(TouchKind::Write, &format!("{}/{last}", folder.trim_end_matches('/')), false);
    }
}

impl Effects {
    /// Assesses a program that is started without a shell. The words may contain any characters.
    pub fn from_argv(argv: &[String]) -> Self {
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

    pub(crate) fn from_command(command: &Command) -> Self {
        let mut effects = Self::default();
        effects.add_command(command, 0);
        effects
    }

    /// Returns every program with its words; a wrapper comes before its inner program.
    pub fn programs(&self) -> &[Vec<String>] {
        &self.programs
    }

    /// Returns the paths that are read, as written in the command. [`Effects::touches`] has the depth below
    /// folders. For git, an operand can also be a revision.
    pub fn reads(&self) -> &[String] {
        &self.reads
    }

    /// Returns the paths that are written, created, changed or removed, as written in the command.
    pub fn writes(&self) -> &[String] {
        &self.writes
    }

    /// Returns every file and folder that is touched, with its use and depth. Includes all paths of
    /// [`Effects::reads`] and [`Effects::writes`], but not every git revision.
    pub fn touches(&self) -> &[TouchedPath] {
        &self.touched
    }

    /// Returns the reason why the words were not assessed, or `None` if they were. With a reason, there is
    /// also a [`DoubtKind::TooMuch`].
    pub fn excess(&self) -> Option<Excess> {
        self.excess
    }

    /// Returns the reasons why the command is not proved to be read-only.
    pub fn doubts(&self) -> &[Doubt] {
        &self.doubts
    }

    /// Returns the degree to which the command is proved to be harmless.
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
            "find" => find::assess(self, arguments),
            "sed" => sed::assess(self, arguments),
            "git" => git::assess(self, arguments),
            name => {
                let known = wrapper::assess(self, name, arguments, depth)
                    || writers::assess(self, name, arguments)
                    || programs::assess(self, name, arguments);
                if !known {
                    let runs = kind::program_kind(program) == ProgramKind::Wrapper;
                    let doubt = if runs { DoubtKind::Runs } else { DoubtKind::UnknownProgram };
                    self.doubt(doubt, program, program);
                    unknown::assess(self, &kind::table_name(program), arguments);
                }
            }
        }
    }

    /// Records that links below a folder are followed; they can lead anywhere in the workspace.
    fn may_read_all(&mut self) {
        let (path, kind) = (".".to_owned(), TouchKind::Read);
        self.touched.push(TouchedPath { path, kind, below: true, sure: false, from_root: true });
    }

    /// Records a path relative to the top of the repository; an empty path is the whole repository.
    fn read_repository(&mut self, path: &str, below: bool) {
        let path = if path.is_empty() { "." } else { path };
        let kind = TouchKind::Read;
        self.touched.push(TouchedPath { path: path.to_owned(), kind, below, sure: true, from_root: true });
    }
}

/// Returns the names of the programs whose effects are in a list of this module.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    programs::names().chain(writers::NAMES.iter().map(|(name, _)| *name))
}

/// Returns the paths that a program writes, by the lists of programs that write.
pub(crate) fn list_written_paths<'a>(name: &str, arguments: &'a [String]) -> Vec<&'a str> {
    let mut written = WrittenPaths::default();
    if !writers::assess(&mut written, name, arguments) {
        unknown::assess(&mut written, name, arguments);
    }
    written.into_paths()
}
