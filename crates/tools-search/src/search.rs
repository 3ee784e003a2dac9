//! The walk and the search, with ripgrep's own crates.

use std::fmt::Write;
use std::io::{self, Read};
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::WalkBuilder;
use windlass_command::is_secret_name;
use windlass_redact::Redactor;
use windlass_sandbox::{FileError, FileStream, Workspace, WorkspacePath};
use windlass_tool::ToolError;

use crate::collect::{Collected, OneFile};
use crate::grep::GrepArguments;

const DEFAULT_LIMIT: u64 = 200;
const MAX_LIMIT: u64 = 2_000;
const MAX_CONTEXT: usize = 10;
/// How long a line may be; a file with a longer one is passed over, and that is told.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;
const MAX_GLOB_BYTES: usize = 1_000;
/// How many bytes of automaton a pattern may need.
const MAX_PATTERN_BYTES: usize = 10 * 1024 * 1024;

/// Searches and tells what was found. `stopped` is asked before each file.
pub(crate) fn search(
    workspace: &Workspace,
    arguments: &GrepArguments,
    redactor: Redactor,
    stopped: &dyn Fn() -> bool,
) -> Result<String, ToolError> {
    let matcher = matcher(arguments)?;
    let glob = arguments.glob.as_deref().map(glob).transpose()?;
    let path = workspace.resolve(arguments.path.as_deref().unwrap_or(".")).map_err(told)?;
    if path.is_output() {
        return Err(ToolError::model(format!("`{path}` is a spilled output; page it with read_file")));
    }
    let start = workspace.absolute(&path).map_err(told)?;
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .before_context(arguments.context.unwrap_or(0).min(MAX_CONTEXT))
        .after_context(arguments.context.unwrap_or(0).min(MAX_CONTEXT))
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(MAX_LINE_BYTES))
        .build();
    let limit = arguments.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let mut all = Collected { limit, redactor, ..Collected::default() };
    let mut cut_short = false;
    for entry in walk(&start) {
        if stopped() {
            cut_short = true;
            break;
        }
        // A folder that cannot be read is passed over, as grep does.
        let Ok(entry) = entry else { continue };
        let Ok(below) = entry.path().strip_prefix(workspace.root()) else { continue };
        let wanted = glob.as_ref().is_none_or(|glob| is_wanted(glob, below));
        if !entry.file_type().is_some_and(|kind| kind.is_file()) || !wanted {
            continue;
        }
        // The effect names where the search starts; a secret below it would be read without its name.
        if entry.path().strip_prefix(&start).is_ok_and(is_secret) {
            all.secrets = all.secrets.saturating_add(1);
        } else {
            one_file(workspace, below, &mut searcher, &matcher, &mut all, stopped);
        }
    }
    Ok(words(&path, &all, cut_short))
}

fn is_secret(below: &Path) -> bool {
    below.iter().any(|name| is_secret_name(&name.to_string_lossy()))
}

/// The walk only gives names; each file is opened again by handle below the root, so that a swap on the way
/// leads nowhere, and read piece by piece, however long it is.
fn one_file(
    workspace: &Workspace,
    below: &Path,
    searcher: &mut Searcher,
    matcher: &RegexMatcher,
    all: &mut Collected,
    stopped: &dyn Fn() -> bool,
) {
    let Ok(path) = WorkspacePath::found(below) else { return };
    let Ok(stream) = workspace.stream(&path) else { return };
    let (length, shown) = (all.text.len(), all.shown);
    let name = path.to_string();
    let mut sink = OneFile { path: &name, all, found: 0 };
    let before = sink.all.found;
    let end = searcher.search_reader(matcher, Stoppable { stream, stopped }, &mut sink);
    if end.is_err() && !stopped() {
        all.unread = all.unread.saturating_add(1);
    }
    if end.is_err() || all.found == before {
        // Binary after all, or a line that is too long: nothing of it stays.
        all.text.truncate(length);
        all.shown = shown;
    }
}

/// A file that ends when the search is stopped.
struct Stoppable<'s> {
    stream: FileStream,
    stopped: &'s dyn Fn() -> bool,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if (self.stopped)() { Err(io::Error::other("stopped")) } else { self.stream.read(bytes) }
    }
}

fn walk(start: &Path) -> ignore::Walk {
    WalkBuilder::new(start)
        .follow_links(false)
        .require_git(false)
        // Rules outside the workspace belong to somebody else's files.
        .parents(false)
        .git_global(false)
        .sort_by_file_path(Ord::cmp)
        .build()
}

fn matcher(arguments: &GrepArguments) -> Result<RegexMatcher, ToolError> {
    RegexMatcherBuilder::new()
        .case_insensitive(arguments.ignore_case.unwrap_or(false))
        .line_terminator(Some(b'\n'))
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES)
        .build(&arguments.pattern)
        .map_err(|error| {
            ToolError::model(format!(
                "the pattern is no regular expression that can be searched line by line: {error}. To find it as plain text put `\\` before each of . ( ) [ ] {{ }} * + ? ^ $ | \\"
            ))
        })
}

fn glob(text: &str) -> Result<GlobMatcher, ToolError> {
    let len = text.len();
    if len > MAX_GLOB_BYTES {
        return Err(ToolError::model(format!(
            "the glob has {len} bytes, at most {MAX_GLOB_BYTES} are taken"
        )));
    }
    let built = GlobBuilder::new(text).literal_separator(true).build();
    built
        .map(|glob| glob.compile_matcher())
        .map_err(|error| ToolError::model(format!("{error}; give a glob as `*.rs` or `src/**/*.rs`")))
}

/// A glob without `/` is meant for the name, in whatever folder.
fn is_wanted(glob: &GlobMatcher, below: &Path) -> bool {
    let by_name = !glob.glob().glob().contains('/');
    match below.file_name() {
        Some(name) if by_name => glob.is_match(name),
        _ => glob.is_match(below),
    }
}

fn words(path: &WorkspacePath, all: &Collected, cut_short: bool) -> String {
    let mut stopped = if cut_short { "; the search was stopped before its end" } else { "" }.to_owned();
    if all.unread > 0 {
        let unread = all.unread;
        // Writing into a string cannot fail.
        let _ =
            write!(stopped, "; {unread} files could not be read or have lines over {MAX_LINE_BYTES} bytes");
    }
    if all.secrets > 0 {
        let secrets = all.secrets;
        // Writing into a string cannot fail.
        let _ = write!(
            stopped,
            "; {secrets} files with names of secrets were passed over, as they are searched by name only"
        );
    }
    if all.found == 0 {
        return format!(
            "[nothing found in {path}{stopped}; hidden, binary and git-ignored files were not searched]"
        );
    }
    let (shown, found, files) = (all.shown, all.found, all.files);
    let more = if shown < found { "; narrow the pattern, path or glob" } else { "" };
    format!("[{shown} of {found} matching lines shown, from {files} files{more}{stopped}]\n{}", all.text)
}

fn told(error: impl Into<FileError>) -> ToolError {
    ToolError::model(error.into().to_string())
}
