//! The store of sessions in a folder: one file, to which each change appends a line, and an index beside it.

mod cache;
mod index;
mod scan;

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use self::cache::Cache;
use self::scan::Scan;
use crate::app::App;
use crate::config::create_private_folder;
use crate::error::{Context as _, Result};
use crate::sessions::counts::SessionCounts;
use crate::sessions::page::SessionPlace;
use crate::sessions::record::SessionRecord;
use crate::sessions::store::SessionStore;

/// Name of the file.
const FILE: &str = "sessions.jsonl";

/// Lines of removed and replaced records that may exist beside as many lines of valid ones.
const SPARE_LINES: usize = 256;

/// Store of sessions in a folder. A change appends a line to one file. An index has the places of the lines up to a
/// position, so a page reads the index, the lines after that position, and the lines of its own sessions. When most
/// lines are out of date, the file is written again under a lock.
#[derive(Debug)]
pub(crate) struct FolderSessions {
    folder: PathBuf,
    cache: Mutex<Cache>,
    scan: Mutex<Scan>,
}

/// Line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Put(Box<SessionRecord>),
    Remove(String),
}

/// The identity of a file, which changes when the file is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    fn read(file: &File) -> io::Result<Self> {
        let data = file.metadata()?;
        Ok(Self {
            device: std::os::unix::fs::MetadataExt::dev(&data),
            inode: std::os::unix::fs::MetadataExt::ino(&data),
        })
    }
}

impl FolderSessions {
    /// Creates the store in a folder, which need not exist.
    pub(crate) fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), cache: Mutex::default(), scan: Mutex::default() }
    }

    /// Renames the file after another store has taken its records. A missing file is not an error.
    pub(crate) fn set_aside(&self) -> Result<()> {
        let path = self.path();
        match std::fs::rename(&path, path.with_extension("imported")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("{} cannot be renamed", path.display()))
            }
            _ => Ok(()),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    fn lock_cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the lines since the last read, and returns what `select` chooses.
    fn read<T>(&self, select: impl FnOnce(&mut Cache) -> T) -> Result<T> {
        let mut cache = self.lock_cache();
        let path = self.path();
        let refreshed = cache.refresh(&path);
        refreshed.with_context(|| format!("the sessions in {} cannot be read", path.display()))?;
        // A reader that may not write here, or that meets a writer, reads the lines again next time.
        if cache.has_long_tail()
            && let Some(_lock) = FolderLock::try_take(&self.folder)
        {
            drop(cache.write_index(&path));
        }
        Ok(select(&mut cache))
    }

    fn append(&self, line: &Line) -> Result<()> {
        create_private_folder(&self.folder)?;
        let path = self.path();
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        let _lock = FolderLock::take(&self.folder)?;
        let written = append_line(&path, &text);
        written.with_context(|| format!("the sessions in {} cannot be written", path.display()))?;
        let mut cache = self.lock_cache();
        cache.refresh(&path)?;
        if cache.has_many_old_lines() {
            cache.rewrite(&path)?;
        }
        if cache.has_long_tail() {
            cache.write_index(&path)?;
        }
        Ok(())
    }
}

impl SessionStore for FolderSessions {
    fn save(&self, record: &SessionRecord) -> Result<()> {
        self.append(&Line::Put(Box::new(record.clone())))
    }

    fn get(&self, id: &str) -> Result<Option<SessionRecord>> {
        self.read(|cache| cache.get(id))
    }

    fn list(&self) -> Result<Vec<SessionRecord>> {
        self.read(Cache::list)
    }

    fn remove(&self, id: &str) -> Result<()> {
        self.append(&Line::Remove(id.to_owned()))
    }

    fn page(&self, after: Option<&SessionPlace>, limit: usize) -> Result<Vec<SessionRecord>> {
        self.read(|cache| cache.page(after, limit))
    }

    fn find(&self, prefix: &str, limit: usize) -> Result<Vec<SessionRecord>> {
        self.read(|cache| cache.find(prefix, limit))
    }

    fn open(&self) -> Result<Vec<SessionRecord>> {
        self.read(Cache::open)
    }

    fn counts(&self) -> Result<SessionCounts> {
        self.read(|cache| cache.counts())
    }

    fn count(&self) -> Result<usize> {
        self.read(|cache| cache.count())
    }

    fn find_unknown_runs(&self, app: &App) -> Result<Vec<String>> {
        let mut scan = self.scan.lock().unwrap_or_else(PoisonError::into_inner);
        let has_sessions = self.path().is_file();
        scan.find_unknown(&app.runs_folder()?, &self.folder, has_sessions, || {
            let runs = app.run_ids()?;
            self.read(|cache| cache.select_unknown(runs))
        })
    }

    fn skip_run(&self, run: &str) -> Result<()> {
        self.scan.lock().unwrap_or_else(PoisonError::into_inner).skip(run);
        Ok(())
    }
}

/// Appends a line. A line that a killed process left without its end is ended first.
fn append_line(path: &Path, line: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        if last != [b'\n'] {
            file.write_all(b"\n")?;
        }
    }
    file.write_all(line)
}

/// Lock of a folder between processes. It is released when it is dropped.
#[derive(Debug)]
pub(crate) struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Waits for the lock.
    pub(crate) fn take(folder: &Path) -> Result<Self> {
        let file = File::open(folder)?;
        file.lock().with_context(|| format!("{} cannot be locked", folder.display()))?;
        Ok(Self { _file: file })
    }

    /// Takes the lock if it is free.
    fn try_take(folder: &Path) -> Option<Self> {
        let file = File::open(folder).ok()?;
        file.try_lock().ok()?;
        Some(Self { _file: file })
    }
}

#[cfg(test)]
mod tests;
