//! Preparation of a process: its program, environment, grants and [leash](windlass_sandbox::Leash).

use std::ffi::OsString;
use std::io::PipeWriter;
use std::path::{Path, PathBuf};
use std::{fs, io};

use tempfile::TempDir;
use windlass_sandbox::{
    Access, ChildEnvironment, ChildLimits, Confinement, GrantedConfinement, Leash, Level, ProtectedSnapshot,
    Repository, free_bytes, free_files,
};

use crate::asked::{Need, RequestedCommand};
use crate::git;
use crate::programs::Programs;
use crate::screen::Size;
use crate::{ServiceCommand, Shell};

/// A process that is ready to be started.
pub(crate) struct Launch {
    pub(crate) process: std::process::Command,
    pub(crate) leash: Option<Leash>,
    /// The writer for the standard input of a confined service.
    pub(crate) input: Option<PipeWriter>,
    pub(crate) level: Level,
    /// The workspace and the state of its guarded files, for a command that may write.
    pub(crate) guarded: Option<(PathBuf, ProtectedSnapshot)>,
    /// The disk whose free space is checked.
    pub(crate) disk: Option<Disk>,
    /// The size of the terminal, if the command gets one.
    pub(crate) terminal: Option<Size>,
    /// A temporary folder that is removed after the end of the process.
    pub(crate) scratch: Option<TempDir>,
}

/// A disk that a command must not fill, with the bytes and files for which room must stay.
pub(crate) struct Disk {
    folder: PathBuf,
    bytes: u64,
    /// `None` if the file system has no fixed number of files.
    files: Option<u64>,
}

/// Defaults for the bytes and files for which room must stay.
const SPARE_BYTES: u64 = 1024 * 1024 * 1024;
const SPARE_FILES: u64 = 10_000;

impl Disk {
    /// Returns `None`, which disables the check, if the system does not report the free space.
    fn check_of(folder: &Path, shell: &Shell) -> Option<Self> {
        let (free, files) = (free_bytes(folder).ok()?, free_files(folder).ok()?);
        Some(Self {
            folder: folder.to_path_buf(),
            bytes: shell.spare.unwrap_or(SPARE_BYTES.min(free / 2)),
            files: files.map(|files| shell.spare_files.unwrap_or(SPARE_FILES.min(files / 2))),
        })
    }

    /// Returns a description of the shortage, or `None` if the disk has enough room.
    pub(crate) fn shortage(&self) -> Option<String> {
        if free_bytes(&self.folder).is_ok_and(|free| free < self.bytes) {
            return Some(format!("less than {} bytes of the disk free", self.bytes));
        }
        let spare = self.files?;
        let free = free_files(&self.folder).ok()??;
        (free < spare).then(|| format!("room for fewer than {spare} files on the disk"))
    }
}

/// The private temporary folder of the child, at a level that has one.
const OWN_FOLDER: &str = "/tmp";

impl Launch {
    /// Prepares a command in a folder of a workspace. Blocks on files.
    pub(crate) fn prepare_command(
        shell: &Shell,
        workspace: &Path,
        folder: &Path,
        asked: &RequestedCommand,
        terminal: Option<Size>,
    ) -> io::Result<Self> {
        let (level, need) = (shell.level(), asked.need());
        let programs = Programs::new(&shell.path, workspace);
        let granted = shell.grants(workspace).for_need(need).look();
        let mut confinement = require_settled(&granted, level)?.confinement.clone();
        let scratch = scratch(level)?;
        if let Some(scratch) = &scratch {
            confinement = confinement.with_writable(scratch.path().canonicalize()?);
        }
        let environment = shell.tool_names().fold(quiet(&programs), ChildEnvironment::with_name);
        let mut environment = with_scratch(environment, level, scratch.as_ref());
        if terminal.is_some() {
            environment = environment.with_value("TERM", "xterm-256color");
        }
        environment = with_home(environment, shell);
        if level != Level::None || need == Need::Read {
            let owned = (level != Level::None).then_some(workspace);
            environment = with_all(environment, git::settings(owned));
        }
        if need == Need::Repository
            && let (Some(home), Some(program)) = (shell.home(), programs.find("git"))
        {
            environment = with_all(environment, git::identity(&program, home));
        }
        let mut confinement = confinement.with_environment(environment).with_limits(shell.limits);
        if terminal.is_some() {
            confinement = confinement.with_terminal();
        }
        let (program, words) = program_of(asked, &programs);
        let (process, leash) =
            confinement.command_with_leash(level, &shell.helper, folder, program, words)?;
        let disk = Disk::check_of(workspace, shell);
        let guarded =
            (need != Need::Read).then(|| (workspace.to_path_buf(), ProtectedSnapshot::take(workspace)));
        Ok(Self { process, leash, input: None, level, guarded, disk, terminal, scratch })
    }

    /// Prepares a service, and returns its grants. Blocks on files.
    pub(crate) fn prepare_service(
        shell: &Shell,
        asked: &ServiceCommand,
    ) -> io::Result<(Self, GrantedConfinement)> {
        let level = shell.level();
        let programs = Programs::new(&shell.path, &asked.workspace);
        let (name, words) = asked.argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let program = if name.contains('/') { Some(name.into()) } else { programs.find(name) };
        let program = program.filter(|program: &PathBuf| asked.folder.join(program).is_file());
        let program = program.ok_or(io::ErrorKind::NotFound)?;
        let granted = shell.service_grants(asked);
        let scratch = scratch(level)?;
        let mut confinement = require_settled(&granted, level)?.confinement.clone();
        if let Some(scratch) = &scratch {
            confinement = confinement.with_writable(scratch.path().canonicalize()?);
        }
        let environment = with_home(with_scratch(quiet(&programs), level, scratch.as_ref()), shell);
        let values = asked.values.iter().cloned();
        let environment =
            values.fold(environment, |all, (name, value): (String, OsString)| all.with_value(name, value));
        let confinement = confinement.with_environment(environment).with_limits(shell.limits);
        let (process, held) =
            confinement.start_service(level, &shell.helper, &asked.folder, program, words)?;
        let (leash, input) = held.unzip();
        let launch =
            Self { process, leash, input, level, guarded: None, disk: None, terminal: None, scratch };
        Ok((launch, granted))
    }

    /// Prepares code for an interpreter, in its own folder. The caller must check that the level separates
    /// the code from the machine ([`Level::is_apart`]).
    pub(crate) fn prepare_code(
        shell: &Shell,
        program: &str,
        words: &[&str],
        file: &str,
        code: &str,
    ) -> io::Result<Self> {
        let programs = Programs::system();
        let found = programs.find(program).ok_or(io::ErrorKind::NotFound)?;
        let scratch = tempfile::tempdir()?;
        let source = scratch.path().canonicalize()?.join(file);
        fs::write(&source, code)?;
        let confinement = Confinement::new()
            .with_system_keys_hidden()
            .with_readable(&source)
            .with_limits(code_limits())
            .with_environment(
                quiet(&programs).with_value("HOME", OWN_FOLDER).with_value("TMPDIR", OWN_FOLDER),
            );
        let words = words.iter().map(Into::into).chain([source.into_os_string()]);
        let level = shell.level();
        let (process, leash) =
            confinement.command_with_leash(level, &shell.helper, Path::new(OWN_FOLDER), found, words)?;
        let scratch = Some(scratch);
        Ok(Self { process, leash, input: None, level, guarded: None, disk: None, terminal: None, scratch })
    }
}

impl Shell {
    /// Returns whether the system has this interpreter for code.
    pub(crate) fn has_interpreter(program: &str) -> bool {
        Programs::system().find(program).is_some()
    }
}

/// Returns an error while folders are being moved, because secrets in them may have been missed.
fn require_settled(granted: &GrantedConfinement, level: Level) -> io::Result<&GrantedConfinement> {
    if granted.is_settled || level == Level::None {
        return Ok(granted);
    }
    let words = "another process moves folders of the workspace, so its secrets cannot be hidden; try again";
    Err(io::Error::new(io::ErrorKind::ResourceBusy, words))
}

/// Creates a temporary folder, at the level whose child has no private `/tmp`.
fn scratch(level: Level) -> io::Result<Option<TempDir>> {
    if level == Level::Landlock { tempfile::tempdir().map(Some) } else { Ok(None) }
}

fn with_scratch(environment: ChildEnvironment, level: Level, scratch: Option<&TempDir>) -> ChildEnvironment {
    match level {
        Level::None => environment,
        level if level.is_apart() => environment.with_value("TMPDIR", OWN_FOLDER),
        _ => environment.with_value("TMPDIR", scratch_path(scratch)),
    }
}

fn with_home(environment: ChildEnvironment, shell: &Shell) -> ChildEnvironment {
    match shell.home() {
        Some(home) => environment.with_value("HOME", home),
        None => environment,
    }
}

fn scratch_path(scratch: Option<&TempDir>) -> &Path {
    scratch.map_or(Path::new(OWN_FOLDER), TempDir::path)
}

/// Grants for the rights that a command needs.
pub(crate) trait ForNeed {
    fn for_need(self, need: Need) -> Self;
}

impl ForNeed for windlass_sandbox::CommandGrants {
    fn for_need(self, need: Need) -> Self {
        match need {
            Need::Read => self.with_access(Access::ReadOnly),
            Need::Write => self,
            Need::Repository => self.with_repository(Repository::Open),
        }
    }
}

/// Returns the common environment, in which programs do not wait for a terminal or an editor.
fn quiet(programs: &Programs) -> ChildEnvironment {
    let environment = ChildEnvironment::new()
        .with_value("PATH", programs.to_path_value())
        .with_value("TERM", "dumb")
        .with_value("PAGER", "cat");
    git::QUIET.into_iter().fold(environment, |all, (name, value)| all.with_value(name, value))
}

fn with_all(environment: ChildEnvironment, values: Vec<(String, String)>) -> ChildEnvironment {
    values.into_iter().fold(environment, |all, (name, value)| all.with_value(name, value))
}

/// Returns the program and its arguments. A single program needs no shell; a name without a file may be a
/// builtin of the shell.
fn program_of(asked: &RequestedCommand, programs: &Programs) -> (OsString, Vec<String>) {
    if let RequestedCommand::Words(argv) = asked {
        let name = argv.first().map_or("", String::as_str);
        let found = if name.contains('/') { Some(name.into()) } else { programs.find(name) };
        if let Some(program) = found {
            return (program.into_os_string(), git::tame(argv).into_iter().skip(1).collect());
        }
    }
    let shell = if Path::new("/bin/bash").exists() { "/bin/bash" } else { "/bin/sh" };
    (shell.into(), vec!["-c".to_owned(), asked.command()])
}

fn code_limits() -> ChildLimits {
    let mut limits = ChildLimits::default();
    limits.file_bytes = 256 * 1024 * 1024;
    limits.open_files = 256;
    limits.data_bytes = 1024 * 1024 * 1024;
    limits.tree_memory_bytes = 2 * 1024 * 1024 * 1024;
    limits.processes = 64;
    limits.cpu_seconds = 300;
    limits
}
