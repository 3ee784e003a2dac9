//! Journals whose storage is asynchronous.

use std::pin::Pin;

use windlass_protocol::RawJson;

use crate::{Durability, JournalError, Record};

/// The pending result of an asynchronous journal.
pub type JournalFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, JournalError>> + Send + 'a>>;

/// A journal in an asynchronous database. A run awaits each append, so that its thread serves other tasks meanwhile.
///
/// The contract is that of [`Journal`](crate::Journal): records are numbered from 0 without gaps, never changed, and returned in order, and an
/// append returns when the record is safe. `windlass_agent::RunOptions::with_async_journal` uses it, and
/// `check_async_journal` (feature `kit`) tests it. The future of an append can be dropped when the run is dropped; the record may then
/// be stored or not, but never in part.
///
/// ```
/// use windlass_journal::{AsyncJournal, Durability, Journal, JournalFuture, MemoryJournal, Record};
/// use windlass_protocol::RawJson;
///
/// /// Stands for a database whose client is asynchronous.
/// struct Table(MemoryJournal);
///
/// impl AsyncJournal for Table {
///     fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> JournalFuture<'_, u64> {
///         Box::pin(async move { self.0.append(body, at_ms, durability) })
///     }
///     fn records(&self) -> JournalFuture<'_, Vec<Record>> {
///         Box::pin(async move { self.0.records() })
///     }
/// }
/// ```
pub trait AsyncJournal: Send + Sync {
    /// Appends a record and returns its number.
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> JournalFuture<'_, u64>;

    /// Returns all records, oldest first.
    fn records(&self) -> JournalFuture<'_, Vec<Record>>;
}

impl<T: AsyncJournal + ?Sized> AsyncJournal for Box<T> {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> JournalFuture<'_, u64> {
        (**self).append(body, at_ms, durability)
    }

    fn records(&self) -> JournalFuture<'_, Vec<Record>> {
        (**self).records()
    }
}
