//! The contract of a store, and of the lease on one of its runs.

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use windlass_journal::{Journal, JournalError, Journals, Record};
use windlass_protocol::RawJson;

use crate::{SessionRecords, StoreError};

/// A store of runs: settings, journals, answers, messages and long outputs.
///
/// Every process can read a run, store an answer, and leave a message. Only the owner of the run's [`Lease`]
/// can append records, store outputs, and remove messages. All functions block; call them from a thread that
/// may wait for a disk or a network.
///
/// ```
/// use std::time::Duration;
/// use windlass_journal::{Durability, Journals};
/// use windlass_store::{MemoryStore, Store};
///
/// let store = MemoryStore::default();
/// store.create_run("run-1", &"{}".parse()?)?;
/// let lease = store.claim("run-1", Duration::from_secs(30))?;
/// lease.open_run_journal()?.append("1".parse()?, 0, Durability::Synced)?;
/// assert_eq!(store.read_run_journal("run-1")?.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Store: fmt::Debug + Send + Sync {
    /// Creates a run with its settings, which are the writer's own JSON.
    ///
    /// # Errors
    /// Returns [`StoreError::Exists`] if the id is in use, and an error if the id is not a plain name.
    fn create_run(&self, run: &str, settings: &RawJson) -> Result<(), StoreError>;

    /// Returns the settings of a run.
    ///
    /// # Errors
    /// Returns [`StoreError::NotFound`] if the run does not exist.
    fn read_settings(&self, run: &str) -> Result<RawJson, StoreError>;

    /// Returns up to `limit` ids of runs in ascending order, beginning after the id `after`. Pass the last id
    /// of a page as `after` of the next page.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn list_runs(&self, after: Option<&str>, limit: u32) -> Result<Vec<String>, StoreError>;

    /// Takes the lease on a run, and increases the run's fencing number. The lease lasts for `ttl` by the
    /// clock of the store and must be renewed before that ([`Heartbeat`](crate::Heartbeat)). In a folder, the
    /// lease is a lock of the operating system, which lasts as long as the owner's process and does not expire.
    ///
    /// # Errors
    /// Returns [`StoreError::Busy`] while another lease is valid.
    fn claim(&self, run: &str, ttl: Duration) -> Result<Arc<dyn Lease>, StoreError>;

    /// Returns the records of the run's own journal, oldest first. The list is empty until the first append.
    ///
    /// # Errors
    /// Returns an error if the run does not exist or its records cannot be read.
    fn read_run_journal(&self, run: &str) -> Result<Vec<Record>, StoreError>;

    /// Returns the records of a journal of work inside the run, oldest first.
    ///
    /// # Errors
    /// Returns an error if the run does not exist or its records cannot be read.
    fn read_journal(&self, run: &str, key: &str) -> Result<Vec<Record>, StoreError>;

    /// Returns the keys of the journals of work inside the run, in ascending order.
    ///
    /// # Errors
    /// Returns an error if the run does not exist or cannot be read.
    fn list_journals(&self, run: &str) -> Result<Vec<String>, StoreError>;

    /// Stores an answer to a question of a run, and replaces an earlier answer of the same name. Needs no
    /// lease: a human answers while the run is suspended or works.
    ///
    /// # Errors
    /// Returns an error if the run does not exist, the name is not plain, or the answer cannot be stored.
    fn put_answer(&self, run: &str, name: &str, answer: &RawJson) -> Result<(), StoreError>;

    /// Returns the stored answers with their names, in the order of the names.
    ///
    /// # Errors
    /// Returns an error if the run does not exist or its answers cannot be read.
    fn read_answers(&self, run: &str) -> Result<Vec<(String, RawJson)>, StoreError>;

    /// Appends a message for a run and returns its number. Needs no lease. A message whose acknowledgement
    /// was lost can be stored twice, so a message needs an id of its own.
    ///
    /// # Errors
    /// Returns an error if the run does not exist or the message cannot be stored.
    fn push_message(&self, run: &str, message: &RawJson) -> Result<u64, StoreError>;

    /// Returns the messages that were not removed yet, in the order of their numbers.
    ///
    /// # Errors
    /// Returns an error if the run does not exist or its messages cannot be read.
    fn read_messages(&self, run: &str) -> Result<Vec<(u64, RawJson)>, StoreError>;

    /// Returns the names and hashes of the stored outputs of a run, in the order of the names.
    ///
    /// # Errors
    /// Returns an error if the run does not exist or its outputs cannot be read.
    fn list_outputs(&self, run: &str) -> Result<Vec<StoredOutput>, StoreError>;

    /// Returns the content of an output. `None` means that the store does not contain it.
    ///
    /// # Errors
    /// Returns an error if the content cannot be read, or does not match its hash.
    fn read_output(&self, run: &str, hash: &ContentHash) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns the records of sessions, or `None` if the store has only runs.
    fn sessions(&self) -> Option<Arc<dyn SessionRecords>> {
        None
    }
}

/// The right of one process to write to a run. Dropping it does not release it; a lease that is not released
/// ends at its expiry.
///
/// Each write carries the fencing number of the lease. The store itself compares the number in the statement
/// that writes, so a write of a process that was suspended past its lease is refused
/// ([`JournalError::LeaseLost`]) even if the process still believes to be the owner.
///
/// As [`Journals`], the lease opens the journals of work inside the run, such as those of sub-agents.
pub trait Lease: Journals + fmt::Debug {
    /// Returns the id of the run.
    fn run(&self) -> &str;

    /// Returns the fencing number: how often the run was claimed, including this time.
    fn fence(&self) -> u64;

    /// Extends the lease by its `ttl` from now.
    ///
    /// # Errors
    /// Returns [`StoreError::LeaseLost`] if another process has taken the run over.
    fn renew(&self) -> Result<(), StoreError>;

    /// Ends the lease, so that another process can claim the run at once. Later writes are refused.
    ///
    /// # Errors
    /// Returns an error if the store cannot be reached. The lease then ends at its expiry.
    fn release(&self) -> Result<(), StoreError>;

    /// Opens the run's own journal for appends.
    ///
    /// # Errors
    /// Returns an error if the journal cannot be opened.
    fn open_run_journal(&self) -> Result<Box<dyn Journal + Send>, JournalError>;

    /// Stores an output under a name, and replaces an earlier one. Equal contents share their storage.
    ///
    /// # Errors
    /// Returns an error if the lease is lost, the name is not plain, or the content cannot be stored.
    fn put_output(&self, name: &str, content: &[u8]) -> Result<ContentHash, StoreError>;

    /// Removes a message that the run has recorded. A missing message is not an error.
    ///
    /// # Errors
    /// Returns an error if the lease is lost or the message cannot be removed.
    fn remove_message(&self, number: u64) -> Result<(), StoreError>;
}

/// The name and the hash of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredOutput {
    /// The name, which is unique in its run.
    pub name: String,
    /// The hash of the content.
    pub hash: ContentHash,
}

impl StoredOutput {
    pub(crate) fn new(name: String, hash: ContentHash) -> Self {
        Self { name, hash }
    }
}

/// The SHA-256 digest of a content in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(String);

impl ContentHash {
    /// Computes the hash of a content.
    pub fn compute(content: &[u8]) -> Self {
        let digest = Sha256::digest(content);
        Self(digest.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        }))
    }

    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if the text has the form of a hash. A deserialized hash can be any text.
    pub fn is_valid(&self) -> bool {
        self.0.len() == 64
            && self.0.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
