//! The record of a journal.

use serde::{Deserialize, Serialize};
use windlass_protocol::RawJson;

use crate::JournalError;

/// A record: its number, its time and its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Record {
    /// The number of the record, from 0 without gaps.
    pub seq: u64,
    /// The time of the append in milliseconds since 1970, by the caller's clock.
    pub at_ms: u64,
    /// The body, in the writer's own JSON.
    pub body: RawJson,
}

impl Record {
    /// Creates a record, for the implementation of a journal.
    pub fn new(seq: u64, at_ms: u64, body: RawJson) -> Self {
        Self { seq, at_ms, body }
    }

    /// Decodes the body as the writer's own type.
    ///
    /// # Errors
    /// Returns an error with the record's number if the body is not of this type.
    pub fn read<T: for<'de> Deserialize<'de>>(&self) -> Result<T, JournalError> {
        serde_json::from_str(self.body.as_str())
            .map_err(|source| JournalError::Body { seq: self.seq, source })
    }
}
