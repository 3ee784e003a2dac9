//! The recording of a run.

use std::time::{SystemTime, UNIX_EPOCH};

use windlass_journal::{Durability, Journal, JournalError};
use windlass_loop::Entry;
use windlass_protocol::RawJson;
use windlass_redact::Redactor;

/// A writer of journal entries, which removes secrets and adds the time of the system clock. Results and texts
/// were redacted before the machine received them; this is the last line of defense, for the arguments of calls
/// that a model wrote.
pub(crate) struct Recorder {
    journal: Box<dyn Journal + Send>,
    redactor: Redactor,
}

impl Recorder {
    pub(crate) fn new(journal: Box<dyn Journal + Send>, redactor: Redactor) -> Self {
        Self { journal, redactor }
    }

    /// Appends an entry and returns when it has the required durability. This blocks for a disk write,
    /// usually a few milliseconds, so that no action happens before its record.
    pub(crate) fn record(&mut self, entry: &Entry) -> Result<(), JournalError> {
        let encode = |source| JournalError::Encode { source };
        // A secret that equals a field name of the entry must stay, or the run could not be resumed.
        let text = self.redactor.to_redacted_json(entry).map_err(encode)?;
        let body: RawJson = text.parse().map_err(encode)?;
        let durability = if entry.is_critical() { Durability::Synced } else { Durability::Buffered };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        self.journal.append(body, at_ms, durability).map(|_| ())
    }
}
