//! A journal that removes secrets.

use std::borrow::Cow;

use windlass_protocol::RawJson;
use windlass_redact::Redactor;

use crate::{Durability, Journal, JournalError, Record};

/// A wrapper that removes registered secrets from each record before the inner journal stores it.
///
/// The removal is permanent: a run that is resumed from the record reads `[redacted]`. Redact results before
/// they are recorded and sent, so that the record and the conversation agree. This wrapper is the last line
/// of defense, for text that a person or a model writes.
///
/// ```
/// use windlass_journal::{Durability, Journal, MemoryJournal, Redacting};
/// use windlass_redact::Redactor;
/// let mut journal = Redacting::new(MemoryJournal::default(), Redactor::new(["hunter22".into()]));
/// journal.append_value(&"the password is hunter22", 0, Durability::Synced)?;
/// assert_eq!(journal.records()?[0].read::<String>()?, "the password is [redacted]");
/// # Ok::<(), windlass_journal::JournalError>(())
/// ```
#[derive(Debug)]
pub struct Redacting<J> {
    inner: J,
    redactor: Redactor,
}

impl<J: Journal> Redacting<J> {
    /// Wraps `inner`. The redactor determines the secrets.
    pub fn new(inner: J, redactor: Redactor) -> Self {
        Self { inner, redactor }
    }
}

impl<J: Journal> Journal for Redacting<J> {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        let clean = match self.redactor.redact_json(body.as_str()) {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text.parse().map_err(|source| JournalError::Encode { source })?),
        };
        self.inner.append(clean.unwrap_or(body), at_ms, durability)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.inner.records()
    }
}
