//! Errors of writing and reading a cassette.

use std::io;
use std::path::PathBuf;

/// Error of writing or reading a cassette.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CassetteError {
    /// The file exists. A recording never overwrites a file.
    #[error("{} exists already; a recording never overwrites a file", path.display())]
    Exists {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file cannot be created, written or read.
    #[error("{} cannot be {verb}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Participle of the failed operation: "made", "written" or "read".
        verb: &'static str,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A line cannot be parsed.
    #[error("line {number} is not a cassette entry")]
    Line {
        /// Number of the line, from 1.
        number: usize,
        /// Error of the JSON parser.
        source: serde_json::Error,
    },
    /// The first line is not the start of a cassette.
    #[error("the file is not a cassette: its first line is not the header of one")]
    NotCassette,
    /// A later version of this program wrote the cassette.
    #[error("the cassette has version {version}, this program reads up to {}", crate::Line::VERSION)]
    Version {
        /// Version of the cassette.
        version: u32,
    },
    /// The call to fork at is not in the cassette.
    #[error("the cassette has no call {call}; it has {}", if known.is_empty() { "none".to_owned() } else { known.join(", ") })]
    UnknownCall {
        /// Id of the requested call.
        call: String,
        /// Recorded calls, as `ID (TOOL)`.
        known: Vec<String>,
    },
    /// A line cannot be serialized.
    #[error("a line could not be serialized as JSON")]
    Json(#[from] serde_json::Error),
}
