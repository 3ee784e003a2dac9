//! The store of sessions in a folder: one file, to which each change appends a line.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::config::create_private_folder;
use crate::error::{Context as _, Result};
use crate::sessions::record::SessionRecord;
use crate::sessions::store::SessionStore;
use crate::storage::write_whole;

/// Name of the file.
const FILE: &str = "sessions.jsonl";

/// Lines of removed and replaced records that may exist beside as many lines of valid ones.
const SPARE_LINES: usize = 256;

/// Maximum size in bytes of the file. It is far above what 100,000 sessions need.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Store of sessions in a folder. A change appends a line to one file, so a list reads one file. When most lines are
/// out of date, the file is written again under a lock.
#[derive(Debug)]
pub(crate) struct FolderSessions {
    folder: PathBuf,
    cache: Mutex<Cache>,
}

/// Line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Put(Box<SessionRecord>),
    Remove(String),
}

/// The records until a position in the file. Later reads continue there.
#[derive(Debug, Default)]
struct Cache {
    file: Option<FileId>,
    end: u64,
    lines: usize,
    records: BTreeMap<String, SessionRecord>,
}

/// The identity of a file, which changes when the file is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        Self { folder: folder.into(), cache: Mutex::default() }
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
    fn read<T>(&self, select: impl FnOnce(&Cache) -> T) -> Result<T> {
        let mut cache = self.lock_cache();
        let path = self.path();
        let refreshed = refresh(&mut cache, &path);
        refreshed.with_context(|| format!("the sessions in {} cannot be read", path.display()))?;
        Ok(select(&cache))
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
        refresh(&mut cache, &path)?;
        if cache.lines > cache.records.len().saturating_mul(2).saturating_add(SPARE_LINES) {
            rewrite(&mut cache, &path)?;
        }
        Ok(())
    }
}

impl SessionStore for FolderSessions {
    fn save(&self, record: &SessionRecord) -> Result<()> {
        self.append(&Line::Put(Box::new(record.clone())))
    }

    fn get(&self, id: &str) -> Result<Option<SessionRecord>> {
        self.read(|cache| cache.records.get(id).cloned())
    }

    fn list(&self) -> Result<Vec<SessionRecord>> {
        self.read(|cache| cache.records.values().cloned().collect())
    }

    fn remove(&self, id: &str) -> Result<()> {
        self.append(&Line::Remove(id.to_owned()))
    }
}

/// Reads the lines behind the end of the cache. An unreadable line is skipped: the end of a write of a process that
/// was killed, or the line of a later version.
fn refresh(cache: &mut Cache, path: &Path) -> io::Result<()> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            *cache = Cache::default();
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let id = FileId::read(&file)?;
    let length = file.metadata()?.len();
    if cache.file != Some(id) || length < cache.end {
        *cache = Cache { file: Some(id), ..Cache::default() };
    }
    if length == cache.end {
        return Ok(());
    }
    if length > MAX_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("it has more than {MAX_BYTES} bytes"),
        ));
    }
    file.seek(SeekFrom::Start(cache.end))?;
    let mut bytes = Vec::new();
    file.take(length.saturating_sub(cache.end)).read_to_end(&mut bytes)?;
    // A line without its end is still being written, or was cut.
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at.saturating_add(1));
    for line in bytes.get(..whole).unwrap_or_default().split(|byte| *byte == b'\n') {
        cache.lines = cache.lines.saturating_add(1);
        match serde_json::from_slice(line) {
            Ok(Line::Put(record)) => drop(cache.records.insert(record.id.clone(), *record)),
            Ok(Line::Remove(id)) => drop(cache.records.remove(&id)),
            Err(_) => {}
        }
    }
    cache.end = cache.end.saturating_add(whole as u64);
    Ok(())
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

/// Writes the file again with the valid lines only.
fn rewrite(cache: &mut Cache, path: &Path) -> Result<()> {
    let mut text = Vec::new();
    for record in cache.records.values() {
        serde_json::to_writer(&mut text, &Line::Put(Box::new(record.clone())))?;
        text.push(b'\n');
    }
    write_whole(path, &text, 0o600)?;
    *cache = Cache::default();
    Ok(refresh(cache, path)?)
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
}

#[cfg(test)]
mod tests;
