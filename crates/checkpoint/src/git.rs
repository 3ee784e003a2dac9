//! `git` as an object store. It receives contents and names, and never a work tree, which could make it run
//! programs.
//!
//! No flag makes git safe in an untrusted folder, whose attributes and configuration can name programs. So
//! git works only in its own repository, and this crate reads and writes the files of the workspace.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::error::PLACES;
use crate::lock::Lock;
use crate::{CheckpointError, NoGit};

/// Settings on the command line, which take precedence over any configuration file.
const SETTINGS: [&str; 12] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    // Nothing is checked out, so names need no protection from file systems.
    "core.protectHFS=false",
    "core.protectNTFS=false",
    "core.sharedRepository=0600",
    "core.compression=1",
    "core.fsync=all",
    "gc.auto=0",
    "maintenance.auto=false",
    "diff.external=",
];
/// Branch of the repository's HEAD. It never exists: git would read attributes from an existing HEAD.
const NO_BRANCH: &str = "none";
/// Maximum number of bytes that are kept of an error output.
const SAID_BYTES: u64 = 4 * 1024;

/// A `git` program with a repository.
#[derive(Debug)]
pub(crate) struct Git {
    program: PathBuf,
    pub(crate) repository: PathBuf,
}

/// Returns the path of a `git` that only the machine's owner could have installed.
pub(crate) fn find() -> Result<PathBuf, NoGit> {
    PLACES.into_iter().map(|place| Path::new(place).join("git")).find(|file| is_trusted(file)).ok_or(NoGit)
}

#[cfg(unix)]
fn is_trusted(file: &Path) -> bool {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    // On macOS the user's own package manager installs programs.
    let is_own = cfg!(target_os = "macos");
    fs::metadata(file).is_ok_and(|found| {
        let mode = found.permissions().mode();
        found.is_file() && (found.uid() == 0 || is_own) && mode & 0o022 == 0 && mode & 0o111 != 0
    })
}

#[cfg(not(unix))]
fn is_trusted(_: &Path) -> bool {
    false
}

impl Git {
    /// Opens the repository in a folder. Creates it atomically if it does not exist.
    pub(crate) fn open(program: PathBuf, folder: &Path) -> Result<Self, CheckpointError> {
        let git = Self { program, repository: folder.join("repository") };
        if !git.repository.join("HEAD").is_file() {
            let failed = |source| CheckpointError::State { path: folder.to_path_buf(), source };
            let draft = folder.join("repository.new");
            match fs::remove_dir_all(&draft) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
                _ => {}
            }
            let branch = format!("--initial-branch={NO_BRANCH}");
            let words = [
                "init",
                "--bare",
                "--quiet",
                "--template=",
                "--shared=0600",
                "--object-format=sha256",
                &branch,
            ];
            let mut command = git.bare();
            command.current_dir(folder).args(words).arg(&draft);
            output("init", command, None, SAID_BYTES)?;
            fs::rename(&draft, &git.repository).map_err(failed)?;
        }
        git.sweep();
        Ok(git)
    }

    /// Removes temporary and lock files of a killed git. The caller must hold the lock, so that no other git
    /// is running.
    fn sweep(&self) {
        let is_left = |name: &OsStr| {
            let name = name.to_string_lossy();
            name.ends_with(".lock") || name.starts_with("tmp_") || name.starts_with("fast_import_crash_")
        };
        for folder in ["", "refs/heads", "refs/windlass", "objects/pack", "objects"] {
            let entries = fs::read_dir(self.repository.join(folder)).into_iter().flatten();
            for entry in entries.filter_map(Result::ok).filter(|entry| is_left(&entry.file_name())) {
                // Ignore the error: a git that finds the file will fail and report it.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Returns a git command without a repository and without the host's environment and configuration.
    fn bare(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("LC_ALL", "C")
            .env("HOME", "/nonexistent")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_CEILING_DIRECTORIES", "/");
        command.arg("--no-pager").args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
        command
    }

    pub(crate) fn command<'w>(&self, words: impl IntoIterator<Item = &'w str>) -> Command {
        let mut command = self.bare();
        command.env("GIT_DIR", &self.repository).current_dir(&self.repository).args(words);
        command
    }

    /// Returns the first `limit` bytes of a command's output. Kills the command if it writes more.
    pub(crate) fn ask<'w>(
        &self,
        step: &'static str,
        words: impl IntoIterator<Item = &'w str>,
        limit: u64,
    ) -> Result<Vec<u8>, CheckpointError> {
        output(step, self.command(words), None, limit)
    }

    /// Like [`Self::ask`] with `input` on stdin, and without a limit.
    pub(crate) fn tell<'w>(
        &self,
        step: &'static str,
        words: impl IntoIterator<Item = &'w str>,
        input: Vec<u8>,
    ) -> Result<Vec<u8>, CheckpointError> {
        output(step, self.command(words), Some(input), u64::MAX)
    }
}

/// A running git that receives input and holds the lock until it ends.
pub(crate) struct Stream<'l> {
    child: Child,
    step: &'static str,
    lock: &'l Lock,
}

impl<'l> Stream<'l> {
    pub(crate) fn start(
        step: &'static str,
        mut command: Command,
        lock: &'l Lock,
    ) -> Result<Self, CheckpointError> {
        let held = lock.share().map_err(|error| step_error(step, &error))?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(held);
        let child =
            windlass_sandbox::start_child(|| command.spawn()).map_err(|error| step_error(step, &error))?;
        Ok(Self { child, step, lock })
    }

    /// Returns a buffered writer to git's stdin. Dropping it ends the input.
    pub(crate) fn input(&mut self) -> Option<impl Write + use<>> {
        self.child.stdin.take().map(|pipe| io::BufWriter::with_capacity(64 * 1024, pipe))
    }

    /// Waits for git and returns its output. Its output must be small enough for a pipe's buffer, because
    /// nothing reads it before.
    pub(crate) fn finish(mut self, written: io::Result<()>) -> Result<Vec<u8>, CheckpointError> {
        drop(self.child.stdin.take());
        let mut said = Vec::new();
        let read = self.child.stdout.take().map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut said));
        let status = self.child.wait().map_err(|error| step_error(self.step, &error))?;
        if !status.success() {
            let said = format!("{status}: {}", self.lock.read_messages());
            return Err(CheckpointError::Git { step: self.step, said });
        }
        read.map_err(|error| step_error(self.step, &error))?;
        written.map_err(|error| step_error(self.step, &error))?;
        Ok(said)
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        // Ignore the errors: git may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn output(
    step: &'static str,
    mut command: Command,
    input: Option<Vec<u8>>,
    limit: u64,
) -> Result<Vec<u8>, CheckpointError> {
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child =
        windlass_sandbox::start_child(|| command.spawn()).map_err(|error| step_error(step, &error))?;
    let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
    let mut said = Vec::new();
    let (read, words) = std::thread::scope(|scope| {
        scope.spawn(move || {
            if let (Some(mut stdin), Some(input)) = (stdin, input) {
                // Ignore the error: a git that stops reading reports why on stderr.
                let _ = stdin.write_all(&input);
            }
        });
        let hearing = scope.spawn(move || {
            let mut words = Vec::new();
            if let Some(mut pipe) = stderr {
                let _ = (&mut pipe).take(SAID_BYTES).read_to_end(&mut words);
                let _ = io::copy(&mut pipe, &mut io::sink());
            }
            words
        });
        let read = child.stdout.take().map_or(Ok(0), |pipe| pipe.take(limit).read_to_end(&mut said));
        if said.len() as u64 >= limit {
            let _ = child.kill();
        }
        (read, hearing.join().unwrap_or_default())
    });
    let status = child.wait().map_err(|error| step_error(step, &error))?;
    read.map_err(|error| step_error(step, &error))?;
    if !status.success() && (said.len() as u64) < limit {
        let said = String::from_utf8_lossy(&words).trim().to_owned();
        return Err(CheckpointError::Git { step, said: format!("{status}: {said}") });
    }
    Ok(said)
}

fn step_error(step: &'static str, error: &io::Error) -> CheckpointError {
    CheckpointError::Git { step, said: error.to_string() }
}
