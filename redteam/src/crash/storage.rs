//! The store that the killed processes of a run share.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use windlass_journal::Record;
use windlass_store::{Lease, Store, StoreError, StoreKind, StoreUrl, open_store};

/// The time of a lease. A killed process does not release it, and the next one waits for its end.
const LEASE: Duration = Duration::from_millis(50);
/// The maximum time to wait for the lease of a killed process.
const PATIENCE: Duration = Duration::from_secs(30);

/// An open store with its address.
pub(super) struct RunStore {
    address: String,
    store: Arc<dyn Store>,
}

impl RunStore {
    pub(super) fn open(address: &str) -> anyhow::Result<Self> {
        Ok(Self { address: address.to_owned(), store: open_store(&StoreUrl::new(address))? })
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the records of a run. A process that died before it created its run left none.
    pub(super) fn records(&self, run: &str) -> anyhow::Result<Vec<Record>> {
        match self.store.read_run_journal(run) {
            Err(StoreError::NotFound { .. }) => Ok(Vec::new()),
            records => Ok(records?),
        }
    }

    /// Claims a run, and creates it if necessary.
    pub(super) fn claim(&self, run: &str) -> anyhow::Result<Arc<dyn Lease>> {
        self.claim_for(run, LEASE)
    }

    pub(super) fn claim_for(&self, run: &str, ttl: Duration) -> anyhow::Result<Arc<dyn Lease>> {
        match self.store.create_run(run, &"{}".parse()?) {
            Ok(()) | Err(StoreError::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let began = Instant::now();
        loop {
            match self.store.claim(run, ttl) {
                Err(StoreError::Busy { .. }) if began.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                lease => return Ok(lease?),
            }
        }
    }

    /// Returns the file of a run's journal. Runs in a database have none.
    pub(super) fn file(&self, run: &str) -> Option<PathBuf> {
        match StoreUrl::new(&*self.address).kind() {
            Ok(StoreKind::Folder(folder)) => Some(folder.join(run).join("journal")),
            _ => None,
        }
    }
}
