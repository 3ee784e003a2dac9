//! Access of the tools to files of the workspace, each opened by handle below its root.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ignore::{DirEntry, WalkBuilder, WalkState};
use windlass_command::is_secret_name;
use windlass_redact::Redactor;
use windlass_sandbox::{FileError, Workspace, WorkspacePath, find_unreadable_rules};
use windlass_text::Text;
use windlass_tool::{PathGate, ToolError};

/// Maximum size of a file, in bytes.
pub(crate) const MAX_FILE_BYTES: usize = 16 * 1024 * 1024;
/// Maximum number of files that one call reads.
const MAX_FILES: usize = 50_000;
/// Maximum time for reading files in one call.
const MAX_TIME: Duration = Duration::from_secs(30);

/// Callback that returns true to cancel. It is called before each file and while a file is parsed.
pub(crate) type Stopped<'s> = &'s (dyn Fn() -> bool + Sync);

/// Context of a call.
pub(crate) struct Place<'p> {
    pub(crate) workspace: &'p Workspace,
    /// Secrets that are removed from every text before anything else reads it.
    pub(crate) redactor: Redactor,
    /// Policy for the files that are found.
    pub(crate) gate: PathGate,
    pub(crate) stopped: Stopped<'p>,
}

/// Content of a file, without the secrets of the call's context.
pub(crate) struct Source {
    pub(crate) path: WorkspacePath,
    pub(crate) bytes: Vec<u8>,
}

/// Results below a folder.
pub(crate) struct Scan<T> {
    /// Results, sorted by path.
    pub(crate) found: Vec<(WorkspacePath, T)>,
    /// Number of files that were read.
    pub(crate) looked: usize,
    left_out: OmittedFiles,
}

#[derive(Clone, Debug, Default)]
struct OmittedFiles {
    secrets: usize,
    unread: usize,
    refused: usize,
    is_cut: bool,
    rules: RuleProblems,
}

/// Ignore files that a walk could not read or build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RuleProblems {
    /// Ignore files of the start folder; files of these names were not applied.
    pub(crate) lost: Vec<&'static str>,
    /// Number of folders that were skipped because their rules are unknown.
    pub(crate) folders: usize,
}

/// Permission to read a file that a walk found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The file may be read.
    Open,
    /// The file has a secret's name and must not be opened.
    Secret,
    /// Policy refuses to show the file.
    Refused,
}

impl Place<'_> {
    /// Returns the path that the model named, and its real absolute path.
    pub(crate) fn start(&self, path: Option<&str>) -> Result<(WorkspacePath, PathBuf), ToolError> {
        let path = self.workspace.resolve(path.unwrap_or(".")).map_err(to_tool_error)?;
        if path.is_output() {
            return Err(ToolError::model(format!("`{path}` is a spilled output, which is not searched"))
                .with_advice("Page it with read_file."));
        }
        let start = self.workspace.absolute(&path).map_err(to_tool_error)?;
        Ok((path, start))
    }

    /// Reads a file that the model named.
    pub(crate) fn read(&self, path: &str) -> Result<Source, ToolError> {
        let path = self.workspace.resolve(path).map_err(to_tool_error)?;
        let stream = self.workspace.stream(&path).map_err(to_tool_error)?;
        let len = stream.len();
        let mut bytes = Vec::new();
        let limit = MAX_FILE_BYTES.saturating_add(1) as u64;
        stream.take(limit).read_to_end(&mut bytes).map_err(|error| {
            ToolError::model(format!("`{path}` could not be read: {error}"))
                .with_advice("Try again, or another file.")
        })?;
        if bytes.len() > MAX_FILE_BYTES {
            return Err(ToolError::model(format!(
                "`{path}` has {len} bytes, at most {MAX_FILE_BYTES} are looked at"
            ))
            .with_advice("Use grep_file and read_file."));
        }
        Ok(Source { path, bytes: redact_source(&self.redactor, decode(bytes)) })
    }

    /// Reads the files below a folder, on all cores. Its threads have ended when it returns.
    pub(crate) fn scan<T: Send>(
        &self,
        start: &Path,
        wanted: &(dyn Fn(&Path) -> bool + Sync),
        look: &(dyn Fn(&Source) -> Option<T> + Sync),
    ) -> Scan<T> {
        let found = Mutex::new(Scan { found: Vec::new(), looked: 0, left_out: OmittedFiles::default() });
        let begin = now();
        let rules = self.walk(start, wanted, &|below, standing| {
            let scan = || found.lock().unwrap_or_else(PoisonError::into_inner);
            match standing {
                Standing::Open => {}
                Standing::Secret => {
                    scan().left_out.secrets += 1;
                    return WalkState::Continue;
                }
                Standing::Refused => {
                    scan().left_out.refused += 1;
                    return WalkState::Continue;
                }
            }
            if scan().looked >= MAX_FILES || begin.elapsed() > MAX_TIME || (self.stopped)() {
                scan().left_out.is_cut = true;
                return WalkState::Quit;
            }
            let Some(source) = self.source(below) else {
                scan().left_out.unread += 1;
                return WalkState::Continue;
            };
            let is_text = !source.bytes.contains(&0);
            let result = if is_text { look(&source) } else { None };
            let mut scan = scan();
            scan.looked += usize::from(is_text);
            scan.found.extend(result.map(|result| (source.path, result)));
            WalkState::Continue
        });
        let mut scan = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        scan.left_out.rules = rules;
        scan.found.sort_by(|left, right| left.0.relative().cmp(right.0.relative()));
        scan
    }

    /// Calls `visit` with the files below a folder, in any order, by the rules of `grep_file`, with the
    /// permission to read each.
    pub(crate) fn walk(
        &self,
        start: &Path,
        wanted: &(dyn Fn(&Path) -> bool + Sync),
        visit: &(dyn Fn(&Path, Standing) -> WalkState + Sync),
    ) -> RuleProblems {
        walk_entries(start, &|entry| {
            let Ok(below) = entry.path().strip_prefix(self.workspace.root()) else {
                return WalkState::Continue;
            };
            // The declared effect names the start of the walk, so files with names of secrets below it are
            // not covered.
            let is_secret = entry.path().strip_prefix(start).is_ok_and(is_secret);
            let standing = match () {
                () if !self.shows(below) => Standing::Refused,
                () if is_secret => Standing::Secret,
                () => Standing::Open,
            };
            match wanted(below) {
                true => visit(below, standing),
                false if (self.stopped)() => WalkState::Quit,
                false => WalkState::Continue,
            }
        })
    }

    /// Returns true if policy allows the file to be shown.
    pub(crate) fn shows(&self, below: &Path) -> bool {
        self.gate.is_open()
            || WorkspacePath::from_walk(below).is_ok_and(|path| self.gate.shows(&path.plain()))
    }

    /// Returns true if a file can be opened now.
    pub(crate) fn can_open(&self, below: &Path) -> bool {
        WorkspacePath::from_walk(below).is_ok_and(|path| self.workspace.stream(&path).is_ok())
    }

    /// Reads a file by handle below the root. Returns `None` if it cannot be read or is too long.
    pub(crate) fn source(&self, below: &Path) -> Option<Source> {
        let path = WorkspacePath::from_walk(below).ok()?;
        let stream = self.workspace.stream(&path).ok()?;
        if stream.len() > MAX_FILE_BYTES as u64 {
            return None;
        }
        let mut bytes = Vec::with_capacity(usize::try_from(stream.len()).unwrap_or_default());
        stream.take(MAX_FILE_BYTES as u64).read_to_end(&mut bytes).ok()?;
        Some(Source { path, bytes: redact_source(&self.redactor, decode(bytes)) })
    }
}

/// Removes secrets and keeps line breaks, so that line numbers stay correct after a multi-line secret.
fn redact_source(redactor: &Redactor, bytes: Vec<u8>) -> Vec<u8> {
    let clean = match std::str::from_utf8(&bytes) {
        Ok(text) => match redactor.redact_lines(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(clean) => Some(clean.into_bytes()),
        },
        Err(_) => Some(redactor.redact_bytes(&bytes).into_owned()),
    };
    clean.unwrap_or(bytes)
}

/// Decodes text of another encoding like `read_file`, because grammars and the tokenizer need UTF-8.
fn decode(bytes: Vec<u8>) -> Vec<u8> {
    if std::str::from_utf8(&bytes).is_ok() {
        return bytes;
    }
    let text = Text::show(&bytes).ok().map(|shown| shown.text.into_owned().into_bytes());
    text.unwrap_or(bytes)
}

/// Visits the regular files below a folder that are neither hidden nor ignored by `.gitignore`.
pub(crate) fn walk_entries(start: &Path, visit: &(dyn Fn(&DirEntry) -> WalkState + Sync)) -> RuleProblems {
    walk_all(start, &|entry| match entry.file_type() {
        Some(kind) if kind.is_file() => visit(entry),
        _ => WalkState::Continue,
    })
}

/// Like [`walk_entries`], with folders and all other entries.
pub(crate) fn walk_all(start: &Path, visit: &(dyn Fn(&DirEntry) -> WalkState + Sync)) -> RuleProblems {
    let mut builder = WalkBuilder::new(start);
    // Folders with unreadable rules are skipped. The start folder cannot be skipped, so an unreadable file there
    // turns off the ignore files of its name for the whole walk.
    let lost = find_unreadable_rules(start);
    let ignored = lost.clone();
    let reads = move |name: &str| !ignored.contains(&name);
    let folders = Arc::new(AtomicUsize::new(0));
    let skipped = Arc::clone(&folders);
    // Ignore files outside of the workspace do not apply to it.
    builder.follow_links(false).require_git(false).parents(false).git_global(false);
    builder.git_ignore(reads(".gitignore")).git_exclude(reads(".git/info/exclude")).ignore(reads(".ignore"));
    builder.filter_entry(move |entry| {
        let is_folder = entry.depth() > 0 && entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_read = !is_folder || !find_unreadable_rules(entry.path()).into_iter().any(&reads);
        skipped.fetch_add(usize::from(!is_read), Ordering::Relaxed);
        is_read
    });
    builder.build_parallel().run(|| {
        // Skip a folder that cannot be read, as grep does.
        Box::new(|entry| entry.map_or(WalkState::Continue, |entry| visit(&entry)))
    });
    RuleProblems { lost, folders: folders.load(Ordering::Relaxed) }
}

impl RuleProblems {
    /// Returns a description of the problems, to append to a sentence.
    pub(crate) fn describe(&self) -> String {
        let mut text = String::new();
        // Writing into a string cannot fail.
        if !self.lost.is_empty() {
            let names = self.lost.join(" and ");
            let _ = write!(text, "; {names} cannot be read, so no file of that name was applied");
        }
        if self.folders > 0 {
            let folders = self.folders;
            let _ =
                write!(text, "; {folders} folders were left out because their ignore files cannot be read");
        }
        text
    }
}

pub(crate) fn is_secret(below: &Path) -> bool {
    below.iter().any(|name| is_secret_name(&name.to_string_lossy()))
}

#[expect(clippy::disallowed_methods, reason = "a large workspace takes long, and only a clock bounds it")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

impl<T> Scan<T> {
    /// Returns a description of the skipped files, to append to a sentence.
    pub(crate) fn left_out(&self) -> String {
        let OmittedFiles { secrets, unread, refused, is_cut, rules } = &self.left_out;
        let (secrets, unread, refused) = (*secrets, *unread, *refused);
        let mut parts = Vec::new();
        if *is_cut {
            parts.push("; not all files were looked at, give a deeper path".to_owned());
        }
        if unread > 0 {
            parts.push(format!("; {unread} files could not be read or have over {MAX_FILE_BYTES} bytes"));
        }
        if secrets > 0 {
            parts.push(format!("; {secrets} files with names of secrets were passed over"));
        }
        if refused > 0 {
            parts.push(format!("; {refused} files were left out because rules refuse them"));
        }
        parts.push(rules.describe());
        parts.concat()
    }
}

/// Converts the error of a file operation to an error for the model.
pub(crate) fn to_tool_error(error: impl Into<FileError>) -> ToolError {
    ToolError::model(error.into())
}
