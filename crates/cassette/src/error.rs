//! Why a cassette cannot be written or read.

use std::io;
use std::path::PathBuf;

/// Why a cassette cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CassetteError {
    /// There is a file already. A recording is never written over another.
    #[error("{} is there already; a recording is never written over another file", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be made, written or read.
    #[error("{} cannot be {verb}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        verb: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// A line is not one of a cassette.
    #[error("line {number} is not of a cassette")]
    Line {
        /// The line, from 1.
        number: usize,
        /// What the JSON parser met.
        source: serde_json::Error,
    },
    /// The first line does not begin a cassette.
    #[error("this is no cassette: its first line does not begin one")]
    NotCassette,
    /// The cassette is of a later version of this program.
    #[error("the cassette has version {version}, this program reads up to {}", crate::Line::VERSION)]
    Version {
        /// The cassette's version.
        version: u32,
    },
    /// There is no such call to fork at.
    #[error("the cassette has no call {call}; it has {}", if known.is_empty() { "none".to_owned() } else { known.join(", ") })]
    UnknownCall {
        /// What was asked for.
        call: String,
        /// The calls that there are.
        known: Vec<String>,
    },
    /// A value did not become JSON.
    #[error("a line did not become JSON")]
    Json(#[from] serde_json::Error),
}
