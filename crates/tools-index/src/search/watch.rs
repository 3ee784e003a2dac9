//! Record of the last walk through the workspace, so that the next call only checks timestamps.
#![expect(
    clippy::disallowed_methods,
    reason = "reads the times of the files that the walk has named, and opens none of them"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ignore::WalkState;
use windlass_sandbox::WorkspacePath;

use super::index::Stamp;
use crate::place::{Place, RuleProblems, is_secret, walk_all};

/// Maximum number of files in an index.
const MAX_FILES: usize = 100_000;
const THREADS: usize = 2;
/// Coarsest timestamp resolution of file systems. A file that changed shortly before the walk may change
/// again without a different timestamp.
const COARSEST: Duration = Duration::from_secs(2);
/// Files with ignore rules.
const RULES: [&str; 3] = [".gitignore", ".ignore", ".git/info/exclude"];

/// A file that may be in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeenFile {
    pub(super) below: PathBuf,
    /// Path as used in the index.
    pub(super) file: String,
    pub(super) stamp: Stamp,
}

/// Result of the last walk.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// Files, sorted by path.
    pub(super) files: Vec<SeenFile>,
    pub(super) secrets: usize,
    /// The workspace has more files than the index can hold.
    pub(super) is_full: bool,
    /// Ignore files that the walk could not use.
    pub(super) problems: RuleProblems,
    root: PathBuf,
    /// Times of folders: creating, removing or renaming a file changes the time of its folder.
    folders: Vec<(PathBuf, u64)>,
    /// Stamps of ignore files: a change of their content does not change the folder's time.
    rules: Vec<(PathBuf, Option<Stamp>)>,
    /// True if a folder's time is too recent to detect a further change ("racy" mtime, as in git's index).
    is_young: bool,
}

impl Watch {
    /// Walks through the workspace.
    pub(super) fn look(place: &Place<'_>) -> Self {
        let root = place.workspace.root();
        // A folder time later than this cannot show a further change.
        let begin = SystemTime::now().checked_sub(COARSEST).and_then(|time| nanos(Some(time)));
        let found = Mutex::new(Self { root: root.to_path_buf(), ..Self::default() });
        let problems = walk_all(root, &|entry| {
            if (place.stopped)() {
                return WalkState::Quit;
            }
            let lock = || found.lock().unwrap_or_else(PoisonError::into_inner);
            let Ok(below) = entry.path().strip_prefix(root) else { return WalkState::Continue };
            let kind = entry.file_type();
            if kind.is_some_and(|kind| kind.is_dir()) {
                let metadata = entry.metadata().ok();
                let modified = metadata.as_ref().and_then(|metadata| nanos(metadata.modified().ok()));
                let time = metadata.as_ref().and_then(time_of);
                let mut found = lock();
                found.is_young |= time.is_none() || modified >= begin;
                found.folders.push((entry.path().to_path_buf(), time.unwrap_or_default()));
                return WalkState::Continue;
            }
            if !kind.is_some_and(|kind| kind.is_file()) {
                return WalkState::Continue;
            }
            // Words of secrets must not enter the index.
            if is_secret(below) {
                lock().secrets += 1;
                return WalkState::Continue;
            }
            let (Ok(path), Ok(metadata)) = (WorkspacePath::from_walk(below), entry.metadata()) else {
                return WalkState::Continue;
            };
            let seen = SeenFile {
                below: below.to_path_buf(),
                file: path.to_string(),
                stamp: Stamp::from_metadata(&metadata),
            };
            let mut found = lock();
            if found.files.len() >= MAX_FILES {
                found.is_full = true;
                return WalkState::Quit;
            }
            found.files.push(seen);
            WalkState::Continue
        });
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.problems = problems;
        found.files.sort_unstable_by(|left, right| left.below.cmp(&right.below));
        if !found.is_young && !found.is_full {
            found.rules = rules(&found.folders);
        }
        found
    }

    /// Checks the timestamps of everything seen. Returns false if only another walk can find the current
    /// files.
    pub(super) fn is_still_so(&mut self) -> bool {
        // The files of a skipped folder were not seen, and its ignore file can be repaired at any time.
        if self.is_young || self.is_full || self.problems.folders > 0 {
            return false;
        }
        let same_rule = |(path, stamp): &(PathBuf, Option<Stamp>)| Stamp::at_target(path) == *stamp;
        if !self.rules.iter().all(same_rule) {
            return false;
        }
        let (root, is_other) = (&self.root, AtomicBool::new(false));
        let other = || is_other.store(true, Ordering::Relaxed);
        let (folders, files) = (parts(self.folders.len()), parts(self.files.len()));
        thread::scope(|scope| {
            for part in self.folders.chunks(folders) {
                scope.spawn(move || {
                    if !part.iter().all(|(path, time)| folder_time(path) == Some(*time)) {
                        other();
                    }
                });
            }
            for part in self.files.chunks_mut(files) {
                scope.spawn(move || {
                    for seen in part {
                        match file_stamp(&root.join(&seen.below)) {
                            Some(stamp) => seen.stamp = stamp,
                            None => return other(),
                        }
                    }
                });
            }
        });
        !is_other.into_inner()
    }
}

fn parts(count: usize) -> usize {
    count.div_ceil(THREADS).max(1)
}

/// Returns the ignore files that exist, and those that can be created without changing the time of a listed
/// folder.
fn rules(folders: &[(PathBuf, u64)]) -> Vec<(PathBuf, Option<Stamp>)> {
    let all = folders.iter().flat_map(|(folder, _)| RULES.iter().map(|name| folder.join(name)));
    let stamped = all.map(|path| {
        let stamp = Stamp::at_target(&path);
        (path, stamp)
    });
    let has_git = |path: &Path| {
        path.ends_with(".git/info/exclude")
            && path.ancestors().nth(2).is_some_and(|git| fs::symlink_metadata(git).is_ok())
    };
    stamped.filter(|(path, stamp)| stamp.is_some() || has_git(path)).collect()
}

fn folder_time(path: &Path) -> Option<u64> {
    let metadata = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_dir)?;
    time_of(&metadata)
}

fn file_stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some(Stamp::from_metadata(&metadata))
}

/// Returns the time at which a folder changed. Prefers ctime, because `tar`, `rsync -t` and `touch -d` set
/// mtime.
fn time_of(metadata: &fs::Metadata) -> Option<u64> {
    let (changed, _) = inode_of(metadata);
    if changed > 0 { Some(changed) } else { nanos(metadata.modified().ok()) }
}

/// Returns ctime in nanoseconds since 1970, and the inode number.
#[cfg(unix)]
fn inode_of(metadata: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    let seconds = u64::try_from(metadata.ctime()).unwrap_or_default();
    let nanos = u64::try_from(metadata.ctime_nsec()).unwrap_or_default();
    (seconds.saturating_mul(1_000_000_000).saturating_add(nanos), metadata.ino())
}

#[cfg(not(unix))]
fn inode_of(_: &fs::Metadata) -> (u64, u64) {
    (0, 0)
}

fn nanos(time: Option<SystemTime>) -> Option<u64> {
    u64::try_from(time?.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
}

impl Stamp {
    fn from_metadata(metadata: &fs::Metadata) -> Self {
        let (changed, inode) = inode_of(metadata);
        let modified = nanos(metadata.modified().ok()).unwrap_or_default();
        Self { modified, len: metadata.len(), changed, inode }
    }

    /// Returns the stamp of a link's target, because ignore rules are read through links.
    fn at_target(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::from_metadata(&metadata))
    }
}

#[cfg(test)]
mod tests;
