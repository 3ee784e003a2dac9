//! The reasons for which a run cannot be resumed.

use crate::{Entry, TranscriptError};

/// The reason for which a run cannot be resumed from its record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The record does not begin with the start of a run.
    #[error("the record does not begin with the start of a run")]
    NotStarted,
    /// The record was written by a later version of this library.
    #[error("the record has version {version}, this program reads up to {}", Entry::VERSION)]
    Version {
        /// The version of the record.
        version: u32,
    },
    /// The run is completed.
    #[error("the run is completed and cannot be resumed")]
    Completed,
    /// An entry contradicts the entries before it.
    #[error("entry {position} of the record does not fit the ones before")]
    Contradiction {
        /// The position of the entry, from 0.
        position: usize,
        /// The conversation's reason to refuse the entry.
        source: TranscriptError,
    },
}
