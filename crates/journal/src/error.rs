//! Why a record cannot be kept or read back.

use std::io;
use std::path::PathBuf;

/// Why a record cannot be kept or read back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file or its folder does not work.
    #[error("the journal {} cannot be {doing}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What was tried: `opened`, `written` …
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Another process writes this journal.
    #[error("the journal {} is in use by another process", path.display())]
    Locked {
        /// Which file.
        path: PathBuf,
    },
    /// A record in the middle of the file is damaged, so that what follows cannot be trusted.
    #[error("the journal {} is damaged at line {line}", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A value does not become JSON.
    #[error("the record does not become JSON")]
    Encode {
        /// Why.
        source: serde_json::Error,
    },
    /// A record says something else than was expected.
    #[error("record {seq} is not of the expected kind")]
    Body {
        /// Its number.
        seq: u64,
        /// Why.
        source: serde_json::Error,
    },
}
