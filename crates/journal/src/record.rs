//! One record of a journal.

use serde::{Deserialize, Serialize};
use windlass_protocol::RawJson;

use crate::JournalError;

/// One record: its number, when it was made, and what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Record {
    /// The record's number, from 0 without gaps.
    pub seq: u64,
    /// When it was made, in milliseconds since 1970, by the clock of whoever appended.
    pub at_ms: u64,
    /// What it says, as the writer's own JSON.
    pub body: RawJson,
}

impl Record {
    pub(crate) fn new(seq: u64, at_ms: u64, body: RawJson) -> Self {
        Self { seq, at_ms, body }
    }

    /// Reads what the record says into the writer's own type.
    ///
    /// # Errors
    /// If it is of another type; the record's number is named.
    pub fn read<T: for<'de> Deserialize<'de>>(&self) -> Result<T, JournalError> {
        serde_json::from_str(self.body.as_str())
            .map_err(|source| JournalError::Body { seq: self.seq, source })
    }
}
