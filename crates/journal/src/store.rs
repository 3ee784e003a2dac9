//! The interface of a journal.

use serde::Serialize;
use windlass_protocol::RawJson;

use crate::{JournalError, Record};

/// The time at which an appended record is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "before the append returns, or some time later")]
pub enum Durability {
    /// Some time after the append returns. The record survives a crash of the process, but does not always survive a
    /// crash of the machine.
    Buffered,
    /// Before the append returns.
    Synced,
}

/// A store for the records of a run. Records are appended, never changed, and read back in order.
///
/// ```
/// use windlass_journal::{Durability, Journal, MemoryJournal};
/// let mut journal = MemoryJournal::default();
/// journal.append_value(&"started", 0, Durability::Synced)?;
/// assert_eq!(journal.records()?[0].read::<String>()?, "started");
/// # Ok::<(), windlass_journal::JournalError>(())
/// ```
pub trait Journal {
    /// Appends a record and returns its number. `at_ms` is the time in milliseconds since 1970 by the
    /// caller's clock.
    ///
    /// # Errors
    /// Returns an error if the record cannot be stored. The caller must not execute the action that the
    /// record announces.
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError>;

    /// Returns all records, oldest first.
    ///
    /// # Errors
    /// Returns an error if the records cannot be read back.
    fn records(&self) -> Result<Vec<Record>, JournalError>;

    /// Appends a value of the writer's own type, encoded as JSON.
    ///
    /// # Errors
    /// Returns an error if the value cannot be encoded as JSON or the record cannot be stored.
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

/// Forwards to the boxed journal, whose type is chosen at run time.
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
