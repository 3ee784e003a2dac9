//! The walk on all cores, with ripgrep's own crates: counts the matching lines of each file.

use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use grep_searcher::Searcher;
use ignore::{DirEntry, WalkBuilder, WalkState};
use windlass_command::is_secret_name;
use windlass_sandbox::{Descent, FileStream, Workspace, WorkspacePath, find_unreadable_rules};
use windlass_text::Text;
use windlass_tool::PathGate;

use crate::collect::{Count, Tally};
use crate::pattern::SearchCriteria;

/// Maximum size of a file that is loaded completely, to decode or redact it.
const MAX_HELD_BYTES: u64 = 16 * 1024 * 1024;

/// Callback that returns true to cancel. It is called before each file and each piece of a file.
pub(crate) type Stopped<'s> = &'s (dyn Fn() -> bool + Sync);

/// Counts the matching lines of every file below `start`. Its threads have ended when it returns.
pub(crate) fn search(
    workspace: &Workspace,
    start: &Path,
    wanted: &SearchCriteria,
    gate: &PathGate,
    stopped: Stopped<'_>,
) -> Tally {
    let tally = Mutex::new(Tally::default());
    let unread = Arc::new(AtomicU64::new(0));
    let note =
        |change: &dyn Fn(&mut Tally)| change(&mut tally.lock().unwrap_or_else(PoisonError::into_inner));
    walk(start, &unread).build_parallel().run(|| {
        let descent = Descent::new(workspace);
        let searcher = wanted.counter();
        let mut visitor = Visitor { workspace, start, wanted, gate, searcher, descent, stopped };
        Box::new(move |entry| {
            if stopped() {
                note(&|tally| tally.is_cut = true);
                return WalkState::Quit;
            }
            // Skip a folder that cannot be read, as grep does.
            let Ok(entry) = entry else { return WalkState::Continue };
            match visitor.visit(&entry) {
                SearchResult::Nothing => {}
                SearchResult::Lines(path, lines) => note(&|tally| tally.push(path.to_path_buf(), lines)),
                SearchResult::Unread => note(&|tally| tally.unread = tally.unread.saturating_add(1)),
                SearchResult::Refused => note(&|tally| tally.refused = tally.refused.saturating_add(1)),
                SearchResult::Secret => note(&|tally| tally.secrets = tally.secrets.saturating_add(1)),
            }
            WalkState::Continue
        })
    });
    let mut tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.lost_rules = find_unreadable_rules(start);
    tally.unread = tally.unread.saturating_add(unread.load(Ordering::Relaxed));
    tally
}

/// State of one thread of the walk.
struct Visitor<'s> {
    workspace: &'s Workspace,
    start: &'s Path,
    wanted: &'s SearchCriteria,
    gate: &'s PathGate,
    searcher: Searcher,
    descent: Descent<'s>,
    stopped: Stopped<'s>,
}

enum SearchResult<'p> {
    Nothing,
    Lines(&'p Path, u64),
    Unread,
    Secret,
    Refused,
}

impl Visitor<'_> {
    /// Searches a file. The walk only yields names; each file is opened again by handle below the root, so
    /// that a concurrent replacement cannot redirect it, and is read in pieces.
    fn visit<'p>(&mut self, entry: &'p DirEntry) -> SearchResult<'p> {
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return SearchResult::Nothing;
        }
        let Ok(below) = entry.path().strip_prefix(self.workspace.root()) else {
            return SearchResult::Nothing;
        };
        if !self.wanted.includes(below) {
            return SearchResult::Nothing;
        }
        if !shows(self.gate, below) {
            return SearchResult::Refused;
        }
        // The declared effect names the start of the search, so files with names of secrets below it are not
        // covered.
        if entry.path().strip_prefix(self.start).is_ok_and(is_secret) {
            return SearchResult::Secret;
        }
        let Ok(stream) = self.descent.stream(below) else { return SearchResult::Nothing };
        let (mut count, stopped) = (Count::default(), self.stopped);
        let mut source = Stoppable::new(stream, stopped);
        let mut searched = self.searcher.search_reader(&self.wanted.matcher, &mut source, &mut count);
        if searched.is_ok()
            && !count.is_binary
            && source.is_odd()
            && let Some(text) = decode_file(&mut self.descent, below, stopped)
        {
            count = Count::default();
            searched = self.searcher.search_slice(&self.wanted.matcher, text.as_bytes(), &mut count);
        }
        match searched {
            Err(_) if stopped() => SearchResult::Nothing,
            Err(_) => SearchResult::Unread,
            Ok(()) if count.is_binary || count.lines == 0 => SearchResult::Nothing,
            Ok(()) => SearchResult::Lines(below, count.lines),
        }
    }
}

/// Returns true if policy allows the file to be shown.
fn shows(gate: &PathGate, below: &Path) -> bool {
    gate.is_open() || WorkspacePath::from_walk(below).is_ok_and(|path| gate.shows(&path.plain()))
}

fn is_secret(below: &Path) -> bool {
    below.iter().any(|name| is_secret_name(&name.to_string_lossy()))
}

/// Reader that fails when the search is cancelled, and detects bytes that are not UTF-8.
pub(crate) struct Stoppable<'s> {
    stream: FileStream,
    stopped: Stopped<'s>,
    utf8: Utf8,
}

/// Validity of the bytes so far.
enum Utf8 {
    /// Valid UTF-8, except for the first bytes of a character at the end.
    Valid(Vec<u8>),
    Odd,
}

impl<'s> Stoppable<'s> {
    pub(crate) fn new(stream: FileStream, stopped: Stopped<'s>) -> Self {
        Self { stream, stopped, utf8: Utf8::Valid(Vec::new()) }
    }

    /// Returns true if the bytes read are not UTF-8.
    pub(crate) fn is_odd(&self) -> bool {
        match &self.utf8 {
            Utf8::Valid(rest) => !rest.is_empty(),
            Utf8::Odd => true,
        }
    }

    fn notice(&mut self, bytes: &[u8]) {
        let Utf8::Valid(rest) = &mut self.utf8 else { return };
        let joined;
        let bytes = if rest.is_empty() {
            bytes
        } else {
            joined = [rest, bytes].concat();
            &joined
        };
        self.utf8 = match std::str::from_utf8(bytes) {
            Ok(_) => Utf8::Valid(Vec::new()),
            Err(error) if error.error_len().is_none() => {
                Utf8::Valid(bytes.get(error.valid_up_to()..).unwrap_or_default().to_vec())
            }
            Err(_) => Utf8::Odd,
        };
    }
}

impl Read for Stoppable<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if (self.stopped)() {
            return Err(io::Error::other("stopped"));
        }
        let count = self.stream.read(bytes)?;
        self.notice(bytes.get(..count).unwrap_or_default());
        Ok(count)
    }
}

/// Decodes a file like `read_file`, so that text which that tool shows is found. Returns `None` for a file
/// that is too long or binary, or has a UTF-16 BOM, which the searcher itself handles.
pub(crate) fn decode_file(descent: &mut Descent<'_>, below: &Path, stopped: Stopped<'_>) -> Option<String> {
    let bytes = read_whole(descent, below, stopped)?;
    if matches!(bytes.as_slice(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return None;
    }
    Text::show(&bytes).ok().map(|shown| shown.text.into_owned())
}

/// Returns the content of a file, or `None` if it is too long or cannot be read.
pub(crate) fn read_whole(descent: &mut Descent<'_>, below: &Path, stopped: Stopped<'_>) -> Option<Vec<u8>> {
    let stream = descent.stream(below).ok().filter(|stream| stream.len() <= MAX_HELD_BYTES)?;
    let mut bytes = Vec::new();
    Stoppable::new(stream, stopped).take(MAX_HELD_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn walk(start: &Path, unread: &Arc<AtomicU64>) -> WalkBuilder {
    let mut builder = WalkBuilder::new(start);
    let unread = Arc::clone(unread);
    // Folders with unreadable rules are skipped. The start folder cannot be skipped, so an unreadable file there
    // turns off the ignore files of its name for the whole walk.
    let lost = find_unreadable_rules(start);
    let reads = move |name: &str| !lost.contains(&name);
    builder
        .follow_links(false)
        .require_git(false)
        // Ignore files outside of the workspace do not apply to it.
        .parents(false)
        .git_global(false)
        .git_ignore(reads(".gitignore"))
        .git_exclude(reads(".git/info/exclude"))
        .ignore(reads(".ignore"))
        .filter_entry(move |entry| {
            let is_folder = entry.depth() > 0 && entry.file_type().is_some_and(|kind| kind.is_dir());
            let is_read = !is_folder || !find_unreadable_rules(entry.path()).into_iter().any(&reads);
            unread.fetch_add(u64::from(!is_read), Ordering::Relaxed);
            is_read
        });
    builder
}
