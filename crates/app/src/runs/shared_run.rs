//! A run in a database: its lease, its journals, and its long outputs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use windlass_journal::{Durability, Journal, JournalError, Journals, Record};
use windlass_protocol::RawJson;
use windlass_store::{Heartbeat, Lease, Store};
use windlass_tool::CancellationToken;

use crate::error::{Context as _, Result};
use crate::storage::write_whole;

/// The time of a lease. Another process can take the run of a dead one over after it.
const LEASE: Duration = Duration::from_secs(30);
/// The interval between two renewals of a lease.
const BEAT: Duration = Duration::from_secs(10);

/// A run in a database. Clones share the lease of this process, if it has one.
#[derive(Clone, Debug)]
pub(crate) struct SharedRun {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) id: String,
    owned: Arc<Mutex<Weak<OwnedRun>>>,
    /// True if another process has taken the run over.
    is_lost: Arc<AtomicBool>,
}

/// The lease of this process on a run. It is released when the run's journal is dropped.
#[derive(Debug)]
struct OwnedRun {
    lease: Arc<dyn Lease>,
    /// Renews the lease until it is dropped.
    beat: Option<Heartbeat>,
    is_lost: Arc<AtomicBool>,
}

impl Drop for OwnedRun {
    fn drop(&mut self) {
        drop(self.beat.take());
        // A lease that cannot be released ends at its expiry.
        drop(self.lease.release());
    }
}

impl SharedRun {
    pub(crate) fn new(store: &Arc<dyn Store>, id: &str) -> Self {
        Self { store: Arc::clone(store), id: id.to_owned(), owned: Arc::default(), is_lost: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Weak<OwnedRun>> {
        self.owned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the lease of this process, while its run's journal is open.
    pub(crate) fn lease(&self) -> Option<Arc<dyn Lease>> {
        self.lock().upgrade().map(|owned| Arc::clone(&owned.lease))
    }

    /// Returns true if another process has taken the run over from this one.
    pub(crate) fn has_lost_lease(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    /// Claims the run and opens its journal. If another process takes the run over later, the run is
    /// cancelled, and its writes are refused.
    ///
    /// # Errors
    ///
    /// Fails if another process works on the run, or if the store cannot be reached.
    pub(crate) fn open_journal(
        &self,
        outputs: PathBuf,
        cancellation: &CancellationToken,
    ) -> Result<SharedJournal> {
        let lease = self.store.claim(&self.id, LEASE)?;
        let journal = lease.open_run_journal()?;
        let (cancellation, is_lost) = (cancellation.clone(), Arc::clone(&self.is_lost));
        let beat = Heartbeat::start(Arc::clone(&lease), BEAT, move || {
            is_lost.store(true, Ordering::Relaxed);
            cancellation.cancel();
        });
        let beat = Some(beat.context("the renewal of the run's lease cannot be started")?);
        let owned = Arc::new(OwnedRun { lease, beat, is_lost: Arc::clone(&self.is_lost) });
        *self.lock() = Arc::downgrade(&owned);
        let stored = self.fetch_outputs(&outputs)?;
        Ok(SharedJournal { journal, owned, outputs, stored })
    }

    /// Opens a journal inside the run, which keeps the lease of this process until it is dropped.
    ///
    /// # Errors
    ///
    /// Fails if this process has no lease, or if the store cannot be reached.
    pub(crate) fn open_with_lease(&self, key: &str) -> Result<Box<dyn Journal + Send>> {
        let owned = self.lock().upgrade();
        let owned = owned.ok_or_else(|| JournalError::LeaseLost { run: self.id.clone(), fence: 0 })?;
        Ok(Box::new(LeasedJournal { journal: owned.lease.open(key)?, _owned: owned }))
    }

    /// Writes the outputs in the store that this machine does not have, and returns the names of all.
    fn fetch_outputs(&self, folder: &Path) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        for output in self.store.list_outputs(&self.id)? {
            let path = folder.join(&output.name);
            if !path.exists()
                && let Some(content) = self.store.read_output(&self.id, &output.hash)?
            {
                write_whole(&path, &content, 0o600)?;
            }
            names.insert(output.name);
        }
        Ok(names)
    }
}

/// Journals of work inside the run. Needs the lease of this process when a journal is opened.
impl Journals for SharedRun {
    fn open(&self, key: &str) -> Result<Box<dyn Journal + Send>, JournalError> {
        let lost = || JournalError::LeaseLost { run: self.id.clone(), fence: 0 };
        self.lease().ok_or_else(lost)?.open(key)
    }

    fn find(&self, key: &str) -> Result<Option<Box<dyn Journal + Send>>, JournalError> {
        match self.lease() {
            Some(lease) => lease.find(key),
            None => Ok(None),
        }
    }
}

/// A journal inside a run in a database. The run's own journal can be dropped before it.
struct LeasedJournal {
    journal: Box<dyn Journal + Send>,
    /// Dropped after the journal.
    _owned: Arc<OwnedRun>,
}

impl Journal for LeasedJournal {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        self.journal.append(body, at_ms, durability)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.journal.records()
    }
}

/// The journal of a run in a database. Stores the long outputs that a record can mention before the record.
pub(crate) struct SharedJournal {
    journal: Box<dyn Journal + Send>,
    owned: Arc<OwnedRun>,
    outputs: PathBuf,
    /// The names of the outputs that the store contains.
    stored: BTreeSet<String>,
}

impl SharedJournal {
    fn store_outputs(&mut self) -> Result<(), JournalError> {
        // The folder exists only after the first long output.
        let Ok(entries) = fs::read_dir(&self.outputs) else { return Ok(()) };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') || self.stored.contains(&name) || !entry.path().is_file() {
                continue;
            }
            let io = |source| JournalError::Io { path: entry.path(), doing: "read", source };
            let content = fs::read(entry.path()).map_err(io)?;
            self.owned.lease.put_output(&name, &content)?;
            self.stored.insert(name);
        }
        Ok(())
    }
}

impl Journal for SharedJournal {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        let stored = self.store_outputs().and_then(|()| self.journal.append(body, at_ms, durability));
        // A process that was stopped can write before its heartbeat finds out.
        if let Err(JournalError::LeaseLost { .. }) = &stored {
            self.owned.is_lost.store(true, Ordering::Relaxed);
        }
        stored
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.journal.records()
    }
}

#[cfg(test)]
mod tests;
