//! The store that the killed processes of a run share, and the journal of such a run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;
#[cfg(feature = "databases")]
use serde::{Serialize, de::DeserializeOwned};
use windlass_journal::{FileJournal, Journal, JournalError, Record};
use windlass_store::{Lease, Store, StoreError, StoreKind, StoreUrl, open_store};

/// The time of a lease. A killed process does not release it, and the next one waits for its end.
const LEASE: Duration = Duration::from_millis(50);
/// The maximum time to wait for the lease of a killed process.
const PATIENCE: Duration = Duration::from_secs(30);

/// The number of checks of a store that passed, and of those that failed.
pub(super) type CheckCounts = (usize, usize);

/// Checks each named store and prints the sum as the last line. `None` is a store that this machine lacks.
pub(super) fn check_stores(
    names: &[String],
    mut check: impl FnMut(&str) -> anyhow::Result<Option<CheckCounts>>,
) -> anyhow::Result<ExitCode> {
    let (mut passed, mut failed, mut skipped) = (0_usize, 0_usize, 0_usize);
    for name in names {
        match check(name)? {
            Some(counted) => (passed, failed) = (passed + counted.0, failed + counted.1),
            None => skipped += 1,
        }
    }
    let note = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    println!("{passed} passed, {failed} failed{note}");
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs work with the address of a store in a folder: folder, sqlite, or postgres, whose server ends after the
/// work. Prints a line and returns `None` if this machine has no PostgreSQL.
pub(super) fn with_address<T>(
    name: &str,
    folder: &Path,
    work: impl FnOnce(&str) -> anyhow::Result<T>,
) -> anyhow::Result<Option<T>> {
    with_address_of(name, folder, false, work)
}

/// Like [`with_address`], with a PostgreSQL server that syncs each commit.
pub(super) fn with_synced_address<T>(
    name: &str,
    folder: &Path,
    work: impl FnOnce(&str) -> anyhow::Result<T>,
) -> anyhow::Result<Option<T>> {
    with_address_of(name, folder, true, work)
}

fn with_address_of<T>(
    name: &str,
    folder: &Path,
    is_synced: bool,
    work: impl FnOnce(&str) -> anyhow::Result<T>,
) -> anyhow::Result<Option<T>> {
    drop(std::fs::remove_dir_all(folder));
    std::fs::create_dir_all(folder)?;
    match name {
        "folder" => work(&folder.join("store").display().to_string()).map(Some),
        "sqlite" => work(&format!("sqlite://{}/runs.db", folder.display())).map(Some),
        "postgres" => with_postgres(is_synced, work),
        name => bail!("unknown store {name:?}: folder, sqlite, postgres"),
    }
}

#[cfg(feature = "databases")]
fn with_postgres<T>(
    is_synced: bool,
    work: impl FnOnce(&str) -> anyhow::Result<T>,
) -> anyhow::Result<Option<T>> {
    use windlass_testkit::Need;
    use windlass_testkit::postgres::PostgresServer;

    let start = if is_synced { PostgresServer::start_synced } else { PostgresServer::start };
    let server = Need::Postgres.check(start());
    server.map(|server| work(&server.url())).transpose()
}

#[cfg(not(feature = "databases"))]
fn with_postgres<T>(_: bool, _: impl FnOnce(&str) -> anyhow::Result<T>) -> anyhow::Result<Option<T>> {
    bail!("this build lacks the feature `databases`")
}

/// The journal of a run whose process is killed.
pub(super) enum RunJournal {
    /// A file without a store.
    File(PathBuf),
    /// A run in a store.
    Stored { store: Arc<RunStore>, run: String },
}

impl RunJournal {
    /// Returns the records. A process that died before it created its journal left none.
    pub(super) fn records(&self) -> anyhow::Result<Vec<Record>> {
        match self {
            Self::File(path) => match FileJournal::read(path) {
                Err(JournalError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                    Ok(Vec::new())
                }
                records => Ok(records?),
            },
            Self::Stored { store, run } => store.records(run),
        }
    }

    /// Opens the journal for appends. Returns also the path of its file, if the store keeps it in one.
    pub(super) fn open(&self) -> anyhow::Result<(Box<dyn Journal + Send>, Option<PathBuf>)> {
        Ok(match self {
            Self::File(path) if path.exists() => (Box::new(FileJournal::open(path)?.0), Some(path.clone())),
            Self::File(path) => (Box::new(FileJournal::create(path)?), Some(path.clone())),
            Self::Stored { store, run } => (store.claim(run)?.open_run_journal()?, store.file(run)),
        })
    }
}

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

    /// Stores an answer to a question of a run.
    #[cfg(feature = "databases")]
    pub(super) fn put_answer(&self, run: &str, name: &str, answer: &impl Serialize) -> anyhow::Result<()> {
        Ok(self.store.put_answer(run, name, &serde_json::to_string(answer)?.parse()?)?)
    }

    /// Returns the stored answers to questions of a run.
    #[cfg(feature = "databases")]
    pub(super) fn read_answers<T: DeserializeOwned>(&self, run: &str) -> anyhow::Result<Vec<T>> {
        let answers = self.store.read_answers(run)?.into_iter();
        answers.map(|(_, answer)| Ok(serde_json::from_str(answer.as_str())?)).collect()
    }

    /// Returns the file of a run's journal. Runs in a database have none.
    pub(super) fn file(&self, run: &str) -> Option<PathBuf> {
        match StoreUrl::new(&*self.address).kind() {
            Ok(StoreKind::Folder(folder)) => Some(folder.join(run).join("journal")),
            _ => None,
        }
    }
}
