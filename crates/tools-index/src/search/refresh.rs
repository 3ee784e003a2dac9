//! Brings the index up to the files: those that changed, by time and size, are read again.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use ignore::WalkState;
use tantivy::{IndexWriter, Term};
use windlass_sandbox::WorkspacePath;

use super::fields::Stamp;
use super::folder::Folder;
use super::store::{Store, Trouble, wait_for_lock};
use crate::place::{Place, is_secret, now, walk_entries};

/// How many files an index holds.
const MAX_FILES: usize = 100_000;
/// How long a file may be whose words are kept.
const MAX_INDEXED_BYTES: u64 = 1024 * 1024;
/// How long one call reads files.
const MAX_TIME: Duration = Duration::from_secs(90);
/// Memory of the writer, over its threads.
const WRITER_BYTES: usize = 100_000_000;
const THREADS: usize = 2;
/// From here on a file is binary.
const LOOKED_BYTES: usize = 8 * 1024;

/// What is not in the index, so that results may miss it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Behind {
    pub(super) secrets: usize,
    /// Files that are still to be read.
    pub(super) left: usize,
    /// Another process has the lock.
    pub(super) is_busy: bool,
    /// There are more files than an index holds.
    pub(super) is_full: bool,
}

/// A file that is to be read.
struct Changed {
    below: PathBuf,
    file: String,
    stamp: Stamp,
}

/// Looks at all files and reads those that changed.
pub(super) fn refresh(store: &mut Store, folder: &Folder, place: &Place<'_>) -> Result<Behind, Trouble> {
    store.reload()?;
    let (seen, mut behind) = look(place);
    if (place.stopped)() {
        return Ok(behind);
    }
    let (changed, gone) = differences(store, &seen, behind.is_full);
    if changed.is_empty() && gone.is_empty() {
        return Ok(behind);
    }
    let Some(_lock) = wait_for_lock(folder, place.stopped)? else {
        behind.is_busy = true;
        behind.left = changed.len();
        return Ok(behind);
    };
    // Another process may have done it while this one waited.
    store.reload()?;
    let (changed, gone) = differences(store, &seen, behind.is_full);
    if !changed.is_empty() || !gone.is_empty() {
        behind.left = write(store, place, &changed, &gone)?;
        store.reload()?;
    }
    Ok(behind)
}

/// The files as they are now.
fn look(place: &Place<'_>) -> (HashMap<String, (PathBuf, Stamp)>, Behind) {
    let found = Mutex::new((HashMap::new(), Behind::default()));
    let root = place.workspace.root();
    walk_entries(root, &|entry| {
        if (place.stopped)() {
            return WalkState::Quit;
        }
        let Ok(below) = entry.path().strip_prefix(root) else { return WalkState::Continue };
        let lock = || found.lock().unwrap_or_else(PoisonError::into_inner);
        // A secret's words are never kept.
        if is_secret(below) {
            lock().1.secrets += 1;
            return WalkState::Continue;
        }
        let (Ok(path), Ok(metadata)) = (WorkspacePath::found(below), entry.metadata()) else {
            return WalkState::Continue;
        };
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = modified.and_then(|time| u64::try_from(time.as_nanos()).ok()).unwrap_or_default();
        let stamp = Stamp { modified, len: metadata.len() };
        let mut found = lock();
        if found.0.len() >= MAX_FILES {
            found.1.is_full = true;
            return WalkState::Quit;
        }
        found.0.insert(path.to_string(), (below.to_path_buf(), stamp));
        WalkState::Continue
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn differences(
    store: &Store,
    seen: &HashMap<String, (PathBuf, Stamp)>,
    is_full: bool,
) -> (Vec<Changed>, Vec<String>) {
    let changed = seen.iter().filter(|(file, (_, stamp))| store.known.get(*file) != Some(stamp));
    let changed = changed.map(|(file, (below, stamp))| Changed {
        below: below.clone(),
        file: file.clone(),
        stamp: *stamp,
    });
    // Where not all files were seen, those that were not are not gone.
    let gone = store.known.keys().filter(|file| !is_full && !seen.contains_key(*file)).cloned();
    let mut changed: Vec<Changed> = changed.collect();
    changed.sort_by(|left, right| left.below.cmp(&right.below));
    (changed, gone.collect())
}

/// Reads and commits; says how many files are left for another call.
fn write(store: &Store, place: &Place<'_>, changed: &[Changed], gone: &[String]) -> Result<usize, Trouble> {
    let mut writer: IndexWriter = store.index.writer_with_num_threads(THREADS, WRITER_BYTES)?;
    let again = changed.iter().map(|changed| &changed.file).filter(|file| store.known.contains_key(*file));
    for file in gone.iter().chain(again) {
        writer.delete_term(Term::from_field_text(store.fields.file, file));
    }
    let begin = now();
    let next = AtomicUsize::new(0);
    let trouble = Mutex::new(None);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while begin.elapsed() < MAX_TIME && !(place.stopped)() {
                    let Some(changed) = changed.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                    if let Err(error) = one_file(store, place, &writer, changed) {
                        *trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        return;
                    }
                }
            });
        }
    });
    if let Some(trouble) = trouble.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(trouble);
    }
    // Also where the call was stopped: what was read need not be read again.
    writer.commit()?;
    writer.wait_merging_threads()?;
    // Each that a thread took it also read.
    let done = next.into_inner().min(changed.len());
    Ok(changed.len().saturating_sub(done))
}

fn one_file(
    store: &Store,
    place: &Place<'_>,
    writer: &IndexWriter,
    changed: &Changed,
) -> Result<(), Trouble> {
    // A file that is not text is noted all the same, so that it is not read again each time.
    if changed.stamp.len <= MAX_INDEXED_BYTES
        && let Some(source) = place.source(&changed.below)
        && !source.bytes.get(..LOOKED_BYTES).unwrap_or(&source.bytes).contains(&0)
    {
        for piece in store.fields.pieces(&source, &|| (place.stopped)()) {
            writer.add_document(piece)?;
        }
    }
    writer.add_document(store.fields.stamp(&changed.file, changed.stamp))?;
    Ok(())
}
