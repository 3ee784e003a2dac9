//! The recording of a run.

use std::time::{SystemTime, UNIX_EPOCH};

use windlass_journal::{Durability, Journal, JournalError};
use windlass_loop::Entry;
use windlass_protocol::RawJson;

/// A writer of journal entries, which adds the time of the system clock.
pub(crate) struct Recorder {
    journal: Box<dyn Journal + Send>,
}

impl Recorder {
    pub(crate) fn new(journal: Box<dyn Journal + Send>) -> Self {
        Self { journal }
    }

    /// Appends an entry and returns when it has the required durability. This blocks for a disk write,
    /// usually a few milliseconds, so that no action happens before its record.
    pub(crate) fn record(&mut self, entry: &Entry) -> Result<(), JournalError> {
        let encode = |source| JournalError::Encode { source };
        let text = serde_json::to_string(entry).map_err(encode)?;
        let body: RawJson = text.parse().map_err(encode)?;
        let durability = if entry.is_critical() { Durability::Synced } else { Durability::Buffered };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        self.journal.append(body, at_ms, durability).map(|_| ())
    }
}
