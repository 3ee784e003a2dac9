//! The error of the crate.

use std::io;
use std::path::PathBuf;

/// The reason that a record cannot be stored or read back. The caller of an append must not execute the
/// action that the record announces.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// An operation on the file or its folder failed.
    #[error("the journal {} cannot be {doing}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The failed operation as a participle: `opened`, `written` and so on.
        doing: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Another process has the file open for writing.
    #[error("the journal {} is in use by another process", path.display())]
    Locked {
        /// The path of the file.
        path: PathBuf,
    },
    /// A line of the file is not a valid record, so the records after it cannot be trusted. A torn last line
    /// is not an error.
    #[error("the journal {} is damaged at line {line}", path.display())]
    Damaged {
        /// The path of the file.
        path: PathBuf,
        /// The number of the damaged line, from 1.
        line: usize,
    },
    /// A record refers to a large value whose file does not exist.
    #[error("the journal refers to {}, which does not exist; restore the file from a copy", path.display())]
    ValueMissing {
        /// The path of the file.
        path: PathBuf,
    },
    /// The content of a large value's file does not have the hash in the record.
    #[error("{} was changed after the journal recorded its hash; restore the file from a copy", path.display())]
    ValueChanged {
        /// The path of the file.
        path: PathBuf,
    },
    /// Another process has taken over the run, so the store refused the write of this process.
    #[error("run {run} was taken over by another process; this process owned it under number {fence}")]
    LeaseLost {
        /// The id of the run.
        run: String,
        /// The fencing number of the lost lease.
        fence: u64,
    },
    /// A store other than a file failed.
    #[error("the store of the journal failed")]
    Store {
        /// The error of the store.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A value cannot be encoded as JSON.
    #[error("the record cannot be serialized as JSON")]
    Encode {
        /// The error of the encoder.
        source: serde_json::Error,
    },
    /// The body of a record cannot be decoded as the requested type.
    #[error("record {seq} is not of the expected kind")]
    Body {
        /// The number of the record.
        seq: u64,
        /// The error of the decoder.
        source: serde_json::Error,
    },
}

impl JournalError {
    /// Creates the error of a journal that is not a file, from any error of its storage.
    ///
    /// ```
    /// use windlass_journal::JournalError;
    ///
    /// let error = JournalError::other("the database is closed");
    /// assert_eq!(error.to_string(), "the store of the journal failed");
    /// ```
    pub fn other(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Store { source: source.into() }
    }
}
