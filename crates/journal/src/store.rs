//! The contract of where records are kept.

use serde::Serialize;
use windlass_protocol::RawJson;

use crate::{JournalError, Record};

/// When an append has to be on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "before the append returns, or some time later")]
pub enum Durability {
    /// Some time later; a crash of the machine may lose it, a crash of the process does not.
    Buffered,
    /// Before the append returns.
    Synced,
}

/// Where a run's records are kept: appended, never changed, read back in order.
///
/// ```
/// use windlass_journal::{Durability, Journal, MemoryJournal};
/// let mut journal = MemoryJournal::default();
/// journal.append_value(&"started", 0, Durability::Synced)?;
/// assert_eq!(journal.records()?[0].read::<String>()?, "started");
/// # Ok::<(), windlass_journal::JournalError>(())
/// ```
pub trait Journal {
    /// Appends a record and returns its number. `at_ms` is the caller's clock.
    ///
    /// # Errors
    /// If it cannot be kept. Then the caller must not do what the record announces.
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError>;

    /// All records so far, oldest first.
    ///
    /// # Errors
    /// If they cannot be read back.
    fn records(&self) -> Result<Vec<Record>, JournalError>;

    /// Appends a value of the writer's own type.
    ///
    /// # Errors
    /// If it does not become JSON, or cannot be kept.
    fn append_value<T: Serialize>(
        &mut self,
        value: &T,
        at_ms: u64,
        durability: Durability,
    ) -> Result<u64, JournalError>
    where
        Self: Sized,
    {
        self.append(to_json(value)?, at_ms, durability)
    }
}

/// A journal whose kind is chosen at run time.
impl<T: Journal + ?Sized> Journal for Box<T> {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        (**self).append(body, at_ms, durability)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        (**self).records()
    }
}

fn to_json<T: Serialize>(value: &T) -> Result<RawJson, JournalError> {
    let text = serde_json::to_string(value).map_err(|source| JournalError::Encode { source })?;
    text.parse().map_err(|source| JournalError::Encode { source })
}
