//! The lease on a run in a folder: a lock of the operating system, and a file with the fencing number.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use windlass_journal::{Durability, FileJournal, Journal, JournalError, Journals, Record};
use windlass_protocol::RawJson;

use super::files::{io_error, list_names, open_private, write_whole};
use super::find_nested;
use super::message_numbers::{self, message_number};
use crate::name::{check_key, check_plain};
use crate::{ContentHash, Lease, StoreError};

/// The lock on a run's file `lease`. A journal that this lease opened ends with it.
#[derive(Debug)]
pub(super) struct FolderLease {
    folder: PathBuf,
    run: String,
    fence: u64,
    held: Mutex<OpenFiles>,
}

/// The open files of a lease. A released lease has none.
#[derive(Debug)]
struct OpenFiles {
    lock: Option<File>,
    /// The run's own journal, locked by the claim and not opened by the owner yet.
    journal: Option<FileJournal>,
    opened: Vec<Weak<Mutex<Option<FileJournal>>>>,
}

/// A journal that is closed when its lease is released.
struct HeldJournal {
    file: Arc<Mutex<Option<FileJournal>>>,
    run: String,
    fence: u64,
}

impl FolderLease {
    pub(super) fn claim(folder: PathBuf, run: &str) -> Result<Self, StoreError> {
        let path = folder.join("lease");
        let mut lock = open_private(&path)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Busy { run: run.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(io_error(&path, "locked", source)),
        }
        // A session of an earlier version locks only the journal.
        let journal = match open_if_exists(&folder.join("journal")) {
            Err(JournalError::Locked { .. }) => return Err(StoreError::Busy { run: run.to_owned() }),
            journal => journal?,
        };
        let fence = count(&mut lock).map_err(|source| io_error(&path, "written", source))?;
        let held = Mutex::new(OpenFiles { lock: Some(lock), journal, opened: Vec::new() });
        Ok(Self { folder, run: run.to_owned(), fence, held })
    }

    fn lock(&self) -> MutexGuard<'_, OpenFiles> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_owned(&self) -> Result<(), StoreError> {
        let lost = || StoreError::LeaseLost { run: self.run.clone(), fence: self.fence };
        if self.lock().lock.is_some() { Ok(()) } else { Err(lost()) }
    }

    fn open_file(&self, path: &Path) -> Result<Box<dyn Journal + Send>, JournalError> {
        let file = match open_if_exists(path)? {
            Some(file) => file,
            None => FileJournal::create(path)?,
        };
        Ok(self.hold(file))
    }

    fn hold(&self, file: FileJournal) -> Box<dyn Journal + Send> {
        let file = Arc::new(Mutex::new(Some(file)));
        let mut held = self.lock();
        held.opened.retain(|opened| opened.strong_count() > 0);
        held.opened.push(Arc::downgrade(&file));
        Box::new(HeldJournal { file, run: self.run.clone(), fence: self.fence })
    }
}

fn open_if_exists(path: &Path) -> Result<Option<FileJournal>, JournalError> {
    if path.exists() { Ok(Some(FileJournal::open(path)?.0)) } else { Ok(None) }
}

/// Increases the number in the file. An unreadable number counts as zero: the lock is the protection, and the
/// number only tells the leases apart.
fn count(file: &mut File) -> std::io::Result<u64> {
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let fence = text.trim().parse::<u64>().unwrap_or_default().saturating_add(1);
    file.rewind()?;
    file.write_all(format!("{fence}\n").as_bytes())?;
    file.sync_all()?;
    Ok(fence)
}

impl Journals for FolderLease {
    fn open(&self, key: &str) -> Result<Box<dyn Journal + Send>, JournalError> {
        self.check_owned()?;
        self.open_file(&find_nested(&self.folder).path(check_key(key)?))
    }

    fn find(&self, key: &str) -> Result<Option<Box<dyn Journal + Send>>, JournalError> {
        if find_nested(&self.folder).path(key).exists() { self.open(key).map(Some) } else { Ok(None) }
    }
}

impl Lease for FolderLease {
    fn run(&self) -> &str {
        &self.run
    }

    fn fence(&self) -> u64 {
        self.fence
    }

    fn renew(&self) -> Result<(), StoreError> {
        self.check_owned()
    }

    fn release(&self) -> Result<(), StoreError> {
        let mut held = self.lock();
        for opened in held.opened.drain(..).filter_map(|opened| opened.upgrade()) {
            drop(opened.lock().unwrap_or_else(PoisonError::into_inner).take());
        }
        (held.journal, held.lock) = (None, None);
        Ok(())
    }

    fn open_run_journal(&self) -> Result<Box<dyn Journal + Send>, JournalError> {
        self.check_owned()?;
        let journal = self.lock().journal.take();
        match journal {
            Some(journal) => Ok(self.hold(journal)),
            None => self.open_file(&self.folder.join("journal")),
        }
    }

    fn put_output(&self, name: &str, content: &[u8]) -> Result<ContentHash, StoreError> {
        self.check_owned()?;
        write_whole(&self.folder.join("outputs").join(check_plain(name)?), content)?;
        Ok(ContentHash::compute(content))
    }

    fn remove_message(&self, number: u64) -> Result<(), StoreError> {
        self.check_owned()?;
        let inbox = self.folder.join("inbox");
        let names = list_names(&inbox)?;
        let removed: Vec<_> = names.iter().filter(|name| message_number(name) == Some(number)).collect();
        if removed.is_empty() {
            return Ok(());
        }
        let lock = message_numbers::lock(&inbox)?;
        message_numbers::keep_removed(&inbox, number)?;
        drop(lock);
        for name in removed {
            let path = inbox.join(name);
            std::fs::remove_file(&path).map_err(|source| io_error(&path, "removed", source))?;
        }
        Ok(())
    }
}

impl HeldJournal {
    fn edit<T>(
        &self,
        work: impl FnOnce(&mut FileJournal) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        match self.file.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(file) => work(file),
            None => Err(JournalError::LeaseLost { run: self.run.clone(), fence: self.fence }),
        }
    }
}

impl Journal for HeldJournal {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        self.edit(|file| file.append(body, at_ms, durability))
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.edit(|file| file.records())
    }
}
