//! An open index. It is created if it is missing, and rebuilt if it is damaged or of another version.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use super::folder::Folder;
use super::index::{Manifest, Part, Segment, SegmentRecord, Stamp, compact, mark_removed};
use super::watch::Watch;
use crate::place::{Stopped, now};

/// Maximum wait for another process that holds the lock.
const MAX_WAIT: Duration = Duration::from_secs(5);
const WAIT_STEP: Duration = Duration::from_millis(50);
/// Number of times that a manifest is read again because a commit removed one of its segments meanwhile.
const MAX_RELOADS: usize = 5;

/// Reason why an index cannot be used.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The index is damaged and must be rebuilt.
    Broken(String),
    /// Another process is building the index.
    Busy,
    /// The folder cannot be used.
    Folder(io::Error),
}

impl Trouble {
    /// Classifies a failed read. A full disk, too many open files or missing permissions do not imply a
    /// damaged index.
    pub(super) fn classify_read(error: io::Error) -> Self {
        use io::ErrorKind::{InvalidData, InvalidInput, NotFound, UnexpectedEof};
        match error.kind() {
            NotFound | InvalidData | InvalidInput | UnexpectedEof => Self::Broken(error.to_string()),
            _ => Self::Folder(error),
        }
    }

    /// Classifies a failed write. Earlier commits are intact unless the error is about the content of a
    /// segment that was read for a merge.
    pub(super) fn classify_write(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::InvalidData => Self::Broken(error.to_string()),
            _ => Self::Folder(error),
        }
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Folder(error)
    }
}

/// An open index, with the stamps of the indexed files.
pub(super) struct Store {
    pub(super) known: HashMap<String, Stamp>,
    /// Result of the last complete walk.
    pub(super) watch: Option<Watch>,
    /// Reason for a rebuild, until it has been reported.
    pub(super) made: Option<&'static str>,
    /// Segments of the last commit that this process has read or written.
    pub(super) parts: Vec<Part>,
    folder: PathBuf,
    manifest: Option<Manifest>,
    /// Creation time, which differs if another process rebuilds the index.
    created_at: Option<SystemTime>,
}

impl Store {
    /// Opens the index. Rebuilds it if it cannot be used, and sets [`Self::made`] to the reason.
    pub(super) fn open(folder: &Folder, stopped: Stopped<'_>) -> Result<Self, Trouble> {
        let reason = if !folder.exists() {
            None
        } else if !folder.is_own() {
            Some("the index was of another version and is made anew")
        } else {
            match Self::open_existing(folder) {
                Ok(store) => return Ok(store),
                Err(_) => Some("the index was broken and is made anew"),
            }
        };
        let _lock = wait_for_lock(folder, stopped)?.ok_or(Trouble::Busy)?;
        // The previous holder of the lock may have rebuilt the index.
        if folder.is_own()
            && let Ok(store) = Self::open_existing(folder)
        {
            return Ok(store);
        }
        Self::make(folder, reason)
    }

    /// Rebuilds the index after it turned out to be damaged. If another process has rebuilt it meanwhile,
    /// opens that one.
    pub(super) fn remake(
        folder: &Folder,
        broken: Option<&Self>,
        reason: Option<&'static str>,
        stopped: Stopped<'_>,
    ) -> Result<Self, Trouble> {
        let _lock = wait_for_lock(folder, stopped)?.ok_or(Trouble::Busy)?;
        if folder.creation_time() != broken.and_then(|broken| broken.created_at)
            && folder.is_own()
            && let Ok(store) = Self::open_existing(folder)
        {
            return Ok(store);
        }
        Self::make(folder, reason)
    }

    /// The caller must hold the lock.
    fn make(folder: &Folder, reason: Option<&'static str>) -> Result<Self, Trouble> {
        folder.clear()?;
        Manifest::default().write(&folder.index())?;
        folder.sign()?;
        let mut store = Self { made: reason, ..Self::new(folder, folder.creation_time()) };
        store.reload()?;
        Ok(store)
    }

    fn open_existing(folder: &Folder) -> Result<Self, Trouble> {
        // Read the time first: if the index is replaced meanwhile, its time is later than the recorded one.
        let mut store = Self::new(folder, folder.creation_time());
        store.reload()?;
        Ok(store)
    }

    fn new(folder: &Folder, created_at: Option<SystemTime>) -> Self {
        Self {
            known: HashMap::new(),
            watch: None,
            made: None,
            parts: Vec::new(),
            folder: folder.index(),
            manifest: None,
            created_at,
        }
    }

    /// Loads the last commit of any process.
    pub(super) fn reload(&mut self) -> Result<(), Trouble> {
        let mut tries: usize = 0;
        loop {
            let manifest = Manifest::read(&self.folder).map_err(Trouble::classify_read)?;
            if self.manifest.as_ref() == Some(&manifest) {
                return Ok(());
            }
            match self.open_parts(&manifest) {
                Ok(parts) => {
                    self.replace(manifest, parts);
                    return Ok(());
                }
                // A merge of another process has replaced the segment and the manifest.
                Err(error) if error.kind() == io::ErrorKind::NotFound && tries < MAX_RELOADS => {
                    tries = tries.saturating_add(1);
                }
                Err(error) => return Err(Trouble::classify_read(error)),
            }
        }
    }

    /// Opens the segments of a manifest, and keeps those that are open.
    fn open_parts(&self, manifest: &Manifest) -> io::Result<Vec<Part>> {
        let open = |record: &SegmentRecord| {
            let segment = match self.parts.iter().find(|part| part.is_of(record)) {
                Some(part) => Arc::clone(&part.segment),
                None => Arc::new(Segment::open(&self.folder, record)?),
            };
            Ok(Part::new(segment, record))
        };
        manifest.segments.iter().map(open).collect()
    }

    fn replace(&mut self, manifest: Manifest, parts: Vec<Part>) {
        self.known = parts.iter().flat_map(Part::files).map(|file| (file.path.clone(), file.stamp)).collect();
        self.parts = parts;
        self.manifest = Some(manifest);
    }

    /// Returns the folder of the segments, and the number of the next segment.
    pub(super) fn next_segment(&self) -> (PathBuf, u64) {
        (self.folder.clone(), self.manifest.as_ref().map_or(0, |manifest| manifest.next))
    }

    /// Commits new segments, and removes files. The caller must hold the lock and must have loaded the last
    /// commit. `next` is the number after those of the new segments.
    pub(super) fn commit(&mut self, written: &[SegmentRecord], gone: &[String], next: u64) -> io::Result<()> {
        let open = |record| Ok(Part::new(Arc::new(Segment::open(&self.folder, record)?), record));
        let new: io::Result<Vec<Part>> = written.iter().map(open).collect();
        let new = new?;
        let mut parts = self.parts.clone();
        let again = new.iter().flat_map(Part::files).map(|file| file.path.as_str());
        let removed: HashSet<&str> = gone.iter().map(String::as_str).chain(again).collect();
        mark_removed(&mut parts, &removed);
        drop(removed);
        parts.extend(new);
        let next = compact(&self.folder, &mut parts, next)?;
        let manifest = Manifest { next, segments: parts.iter().map(Part::record).collect() };
        manifest.write(&self.folder)?;
        manifest.remove_others(&self.folder);
        self.replace(manifest, parts);
        Ok(())
    }
}

/// Waits for the lock. Returns `None` on a timeout or if the call was cancelled.
pub(super) fn wait_for_lock(folder: &Folder, stopped: Stopped<'_>) -> Result<Option<File>, Trouble> {
    let begin = now();
    loop {
        if let Some(lock) = folder.lock()? {
            return Ok(Some(lock));
        }
        if begin.elapsed() > MAX_WAIT || stopped() {
            return Ok(None);
        }
        thread::sleep(WAIT_STEP);
    }
}

#[cfg(test)]
mod tests;
