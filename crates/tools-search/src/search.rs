//! The walk on all cores, with ripgrep's own crates: which files have matching lines, and how many.

use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use grep_searcher::Searcher;
use ignore::{DirEntry, WalkBuilder, WalkState};
use windlass_command::is_secret_name;
use windlass_sandbox::{Descent, FileStream, Workspace, has_readable_rules};

use crate::collect::{Count, Tally};
use crate::pattern::Wanted;

/// Asked before each file and each piece of one.
pub(crate) type Stopped<'s> = &'s (dyn Fn() -> bool + Sync);

/// Counts the matching lines of every file below `start`. The threads end before it returns.
pub(crate) fn search(workspace: &Workspace, start: &Path, wanted: &Wanted, stopped: Stopped<'_>) -> Tally {
    let tally = Mutex::new(Tally::default());
    let unread = Arc::new(AtomicU64::new(0));
    let note =
        |change: &dyn Fn(&mut Tally)| change(&mut tally.lock().unwrap_or_else(PoisonError::into_inner));
    walk(start, &unread).build_parallel().run(|| {
        let descent = Descent::new(workspace);
        let mut visitor = Visitor { workspace, start, wanted, searcher: wanted.counter(), descent, stopped };
        Box::new(move |entry| {
            if stopped() {
                note(&|tally| tally.is_cut = true);
                return WalkState::Quit;
            }
            // A folder that cannot be read is passed over, as grep does.
            let Ok(entry) = entry else { return WalkState::Continue };
            match visitor.visit(&entry) {
                Searched::Nothing => {}
                Searched::Lines(path, lines) => note(&|tally| tally.push(path.to_path_buf(), lines)),
                Searched::Unread => note(&|tally| tally.unread = tally.unread.saturating_add(1)),
                Searched::Secret => note(&|tally| tally.secrets = tally.secrets.saturating_add(1)),
            }
            WalkState::Continue
        })
    });
    let mut tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.unread = tally.unread.saturating_add(unread.load(Ordering::Relaxed));
    tally
}

/// What one thread of the walk holds.
struct Visitor<'s> {
    workspace: &'s Workspace,
    start: &'s Path,
    wanted: &'s Wanted,
    searcher: Searcher,
    descent: Descent<'s>,
    stopped: Stopped<'s>,
}

enum Searched<'p> {
    Nothing,
    Lines(&'p Path, u64),
    Unread,
    Secret,
}

impl Visitor<'_> {
    /// The walk only gives names; each file is opened again by handle below the root, so that a swap on the way
    /// leads nowhere, and read piece by piece, however long it is.
    fn visit<'p>(&mut self, entry: &'p DirEntry) -> Searched<'p> {
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return Searched::Nothing;
        }
        let Ok(below) = entry.path().strip_prefix(self.workspace.root()) else { return Searched::Nothing };
        if !self.wanted.includes(below) {
            return Searched::Nothing;
        }
        // The effect names where the search starts; a secret below it would be read without its name.
        if entry.path().strip_prefix(self.start).is_ok_and(is_secret) {
            return Searched::Secret;
        }
        let Ok(stream) = self.descent.stream(below) else { return Searched::Nothing };
        let (mut count, stopped) = (Count::default(), self.stopped);
        let searched =
            self.searcher.search_reader(&self.wanted.matcher, Stoppable { stream, stopped }, &mut count);
        match searched {
            Err(_) if stopped() => Searched::Nothing,
            Err(_) => Searched::Unread,
            Ok(()) if count.is_binary || count.lines == 0 => Searched::Nothing,
            Ok(()) => Searched::Lines(below, count.lines),
        }
    }
}

fn is_secret(below: &Path) -> bool {
    below.iter().any(|name| is_secret_name(&name.to_string_lossy()))
}

/// A file that ends when the search is stopped.
pub(crate) struct Stoppable<'s> {
    pub(crate) stream: FileStream,
    pub(crate) stopped: Stopped<'s>,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if (self.stopped)() { Err(io::Error::other("stopped")) } else { self.stream.read(bytes) }
    }
}

fn walk(start: &Path, unread: &Arc<AtomicU64>) -> WalkBuilder {
    let mut builder = WalkBuilder::new(start);
    let unread = Arc::clone(unread);
    // The folder that is searched has no place where it could be passed over.
    let reads_rules = !start.is_dir() || has_readable_rules(start);
    builder
        .follow_links(false)
        .require_git(false)
        // Rules outside the workspace belong to somebody else's files.
        .parents(false)
        .git_global(false)
        .git_ignore(reads_rules)
        .git_exclude(reads_rules)
        .ignore(reads_rules)
        .filter_entry(move |entry| {
            let is_folder = entry.depth() > 0 && entry.file_type().is_some_and(|kind| kind.is_dir());
            let is_read = !reads_rules || !is_folder || has_readable_rules(entry.path());
            unread.fetch_add(u64::from(!is_read), Ordering::Relaxed);
            is_read
        });
    builder
}
