//! Updates of the index: files whose metadata changed are read again.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use std::{io, mem, thread};

use super::folder::Folder;
use super::index::{Builder, SegmentRecord};
use super::pieces::pieces;
use super::store::{Store, Trouble, wait_for_lock};
use super::watch::{SeenFile, Watch};
use crate::place::{Place, RuleProblems, now};

/// Maximum size of an indexed file, in bytes.
const MAX_INDEXED_BYTES: u64 = 1024 * 1024;
/// Maximum time for reading files in one call.
const MAX_TIME: Duration = Duration::from_secs(90);
/// Memory of the words of a thread, in bytes, above which it writes a segment.
const MAX_BUILDER_BYTES: usize = 64 * 1024 * 1024;
const THREADS: usize = 2;
/// Number of bytes that are inspected to detect binary files.
const LOOKED_BYTES: usize = 8 * 1024;

/// Files that are missing from the index, so that results may be incomplete.
#[derive(Clone, Debug, Default)]
pub(super) struct StaleFiles {
    pub(super) secrets: usize,
    /// Files that are not read yet.
    pub(super) left: usize,
    /// Files that cannot be read now. Each call tries them again.
    pub(super) unread: usize,
    /// Reason why the index could not be written. The answer is then based on the old index.
    pub(super) failed: Option<String>,
    /// Another process has the lock.
    pub(super) is_busy: bool,
    /// The workspace has more files than the index can hold.
    pub(super) is_full: bool,
    /// Ignore files that cannot be used.
    pub(super) rules: RuleProblems,
}

/// Checks all files and reads those that changed.
pub(super) fn refresh(store: &mut Store, folder: &Folder, place: &Place<'_>) -> Result<StaleFiles, Trouble> {
    store.reload()?;
    let last = store.watch.take().and_then(|mut watch| watch.is_still_so().then_some(watch));
    let watch = last.unwrap_or_else(|| Watch::look(place));
    let (secrets, is_full, rules) = (watch.secrets, watch.is_full, watch.problems.clone());
    let mut behind = StaleFiles { secrets, is_full, rules, ..StaleFiles::default() };
    if (place.stopped)() {
        return Ok(behind);
    }
    bring_up(store, folder, place, &watch, &mut behind)?;
    store.watch = Some(watch);
    Ok(behind)
}

fn bring_up(
    store: &mut Store,
    folder: &Folder,
    place: &Place<'_>,
    watch: &Watch,
    behind: &mut StaleFiles,
) -> Result<(), Trouble> {
    let (changed, gone) = differences(store, watch, place, behind);
    if changed.is_empty() && gone.is_empty() {
        return Ok(());
    }
    let Some(_lock) = wait_for_lock(folder, place.stopped)? else {
        behind.is_busy = true;
        behind.left = changed.len();
        return Ok(());
    };
    // Another process may have updated the index while this one waited.
    store.reload()?;
    let (changed, gone) = differences(store, watch, place, behind);
    if !changed.is_empty() || !gone.is_empty() {
        match write(store, place, &changed, &gone) {
            Ok(left) => behind.left = left,
            Err(Trouble::Folder(error)) => {
                behind.left = changed.len();
                behind.failed = Some(error.to_string());
            }
            Err(trouble) => return Err(trouble),
        }
        store.reload()?;
    }
    Ok(())
}

/// Returns the files to read and the files to remove. A file that cannot be opened is neither: its old
/// content stays in the index, and its new state is not recorded.
fn differences(
    store: &Store,
    watch: &Watch,
    place: &Place<'_>,
    behind: &mut StaleFiles,
) -> (Vec<SeenFile>, Vec<String>) {
    let is_known = |seen: &&SeenFile| store.known.contains_key(&seen.file);
    let changed = watch.files.iter().filter(|seen| store.known.get(&seen.file) != Some(&seen.stamp));
    let (changed, unread): (Vec<SeenFile>, Vec<SeenFile>) =
        changed.cloned().partition(|seen| place.can_open(&seen.below));
    behind.unread = unread.len();
    // If the walk did not see all files, unseen files may still exist.
    if watch.is_full || watch.files.iter().filter(is_known).count() == store.known.len() {
        return (changed, Vec::new());
    }
    let seen: HashSet<&str> = watch.files.iter().map(|seen| seen.file.as_str()).collect();
    let gone = store.known.keys().filter(|file| !seen.contains(file.as_str())).cloned().collect();
    (changed, gone)
}

/// Reads files and commits. Returns the number of files that are left for another call.
fn write(
    store: &mut Store,
    place: &Place<'_>,
    changed: &[SeenFile],
    gone: &[String],
) -> Result<usize, Trouble> {
    let (folder, first) = store.next_segment();
    let begin = now();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let number = AtomicU64::new(first);
    let flush = |builder: &mut Builder| {
        let builder = mem::take(builder);
        builder.write(&folder, number.fetch_add(1, Ordering::Relaxed))
    };
    let work = || -> io::Result<Vec<SegmentRecord>> {
        let (mut builder, mut written) = (Builder::default(), Vec::new());
        while begin.elapsed() < MAX_TIME && !(place.stopped)() {
            let Some(changed) = changed.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let is_read = add_file(&mut builder, place, changed);
            done.fetch_add(usize::from(is_read), Ordering::Relaxed);
            if builder.bytes() > MAX_BUILDER_BYTES {
                written.push(flush(&mut builder)?);
            }
        }
        if !builder.is_empty() {
            written.push(flush(&mut builder)?);
        }
        Ok(written)
    };
    let results: Vec<io::Result<Vec<SegmentRecord>>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS.min(changed.len())).map(|_| scope.spawn(work)).collect();
        let panicked = |_| Err(io::Error::other("a thread of the index panicked"));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
    });
    let mut written = Vec::new();
    for records in results {
        written.extend(records.map_err(Trouble::classify_write)?);
    }
    // Commits even if the call was cancelled, so that its work is not repeated.
    store.commit(&written, gone, number.into_inner()).map_err(Trouble::classify_write)?;
    Ok(changed.len().saturating_sub(done.into_inner()))
}

/// Adds a file. Returns false if it could not be read or the call was cancelled; another call then reads it,
/// and until then the index has its old content.
fn add_file(builder: &mut Builder, place: &Place<'_>, changed: &SeenFile) -> bool {
    let mut found = Vec::new();
    // A file that is too long or binary is recorded without chunks, so that it is not read again.
    if changed.stamp.len <= MAX_INDEXED_BYTES {
        let Some(source) = place.source(&changed.below) else { return false };
        if !source.bytes.get(..LOOKED_BYTES).unwrap_or(&source.bytes).contains(&0) {
            let Some(pieces) = pieces(&source, &|| (place.stopped)()) else { return false };
            found = pieces;
        }
    }
    builder.add_file(&changed.file, changed.stamp, &found);
    true
}
