//! Where the records of a run and of its steps are kept.

use windlass_journal::{Journal, JournalError};

/// A place for many journals, each under a key.
pub trait Journals: Send + Sync {
    /// The journal of a key: a new one, or the one that is there to go on with.
    ///
    /// # Errors
    /// If it cannot be made or opened.
    fn open(&self, key: &str) -> Result<Box<dyn Journal + Send>, JournalError>;
}
