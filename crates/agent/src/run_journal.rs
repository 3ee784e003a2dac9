//! The journal of a run: one whose functions block, or an asynchronous one.

use windlass_journal::{AsyncJournal, Durability, Journal, JournalError, Record};
use windlass_protocol::RawJson;

/// The journal of a run.
pub(crate) enum RunJournal {
    Blocking(Box<dyn Journal + Send>),
    /// The journal, and the records that it had when it was set.
    Async(Box<dyn AsyncJournal>, Vec<Record>),
}

impl RunJournal {
    /// Returns the records from which a run is resumed.
    pub(crate) fn records(&self) -> Result<Vec<Record>, JournalError> {
        match self {
            Self::Blocking(journal) => journal.records(),
            Self::Async(_, records) => Ok(records.clone()),
        }
    }

    pub(crate) async fn append(
        &mut self,
        body: RawJson,
        at_ms: u64,
        durability: Durability,
    ) -> Result<(), JournalError> {
        match self {
            Self::Blocking(journal) => journal.append(body, at_ms, durability)?,
            Self::Async(journal, _) => journal.append(body, at_ms, durability).await?,
        };
        Ok(())
    }

    /// Drops the records, which only the start of a run needs.
    pub(crate) fn forget_records(&mut self) {
        if let Self::Async(_, records) = self {
            *records = Vec::new();
        }
    }
}
