//! Errors of writing and reading a cassette.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use windlass_client::{ClientError, Endpoint};

use crate::Difference;

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
    /// The variable that selects the mode has another value.
    #[error("the variable {} is `{name}`; it can be auto, record or replay", crate::CassetteMode::VARIABLE)]
    UnknownMode {
        /// Value of the variable.
        name: String,
    },
    /// The mode is to replay, and the file does not exist.
    #[error("{} does not exist, and the mode `replay` does not record it: run the test once with {}=auto",
        path.display(), crate::CassetteMode::VARIABLE)]
    NotRecorded {
        /// Path of the file.
        path: PathBuf,
    },
    /// A recording needs a key, and the variable with the key is not set.
    #[error("{} cannot be recorded without an API key of {vendor}: set {variable}, or add the file, which \
        replays without a key", path.display())]
    MissingKey {
        /// Path of the file.
        path: PathBuf,
        /// Name of the vendor.
        vendor: String,
        /// Name of the variable.
        variable: String,
    },
    /// No built-in vendor has this name.
    #[error("unknown vendor {name}; known vendors: {}", Endpoint::names().join(", "))]
    UnknownVendor {
        /// The given name.
        name: String,
    },
    /// The client cannot be created.
    #[error("the client cannot be created")]
    Client(#[source] Box<ClientError>),
    /// The replay differs from its cassette.
    #[error("{}", describe(path, differences))]
    Different {
        /// Path of the file.
        path: PathBuf,
        /// The differences, in the order in which they were found.
        differences: Vec<Difference>,
    },
}

impl CassetteError {
    pub(crate) fn client(error: ClientError) -> Self {
        Self::Client(Box::new(error))
    }
}

/// Lists differences, one in each line, and the way to accept them.
fn describe(path: &Path, differences: &[Difference]) -> String {
    let mut text = format!("the replay differs from {}:", path.display());
    for difference in differences {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {difference}");
    }
    let _ = write!(
        text,
        "\n  (if the change is intended, record again with {}=record)",
        crate::CassetteMode::VARIABLE
    );
    text
}
