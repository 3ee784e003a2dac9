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
