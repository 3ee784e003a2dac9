//! Errors of a suite.

use std::io;
use std::path::PathBuf;

/// An error of a closure that builds an agent, or of a grader.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The reason why a suite cannot run. A trial that fails is a result of the suite, and not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// The suite has no case or no model.
    #[error("the suite has no {missing}; add one with `Suite::{method}`")]
    Empty {
        /// The missing part: "case" or "model".
        missing: &'static str,
        /// The method that adds one.
        method: &'static str,
    },
    /// Two cases or two models have the same name.
    #[error("the suite has two {kind}s with the name {name}")]
    Duplicate {
        /// The kind of the part: "case" or "model".
        kind: &'static str,
        /// The name of both.
        name: String,
    },
    /// The file of results cannot be created, read or written.
    #[error("the results in {} cannot be {verb}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Participle of the failed operation: "opened", "read" or "written".
        verb: &'static str,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Another process writes the file of results.
    #[error("another process writes the results in {}", path.display())]
    InUse {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file of results is larger than the limit.
    #[error("the results in {} have {bytes} bytes, and at most {limit} are read", path.display())]
    TooLarge {
        /// Path of the file.
        path: PathBuf,
        /// Size of the file.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// A line of the file of results cannot be parsed.
    #[error("line {number} of the results in {} is not a result", path.display())]
    Line {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        number: usize,
        /// Error of the JSON parser.
        source: serde_json::Error,
    },
    /// The file contains the results of another suite.
    #[error("the results in {} belong to the suite {found}, not to {expected}", path.display())]
    OtherSuite {
        /// Path of the file.
        path: PathBuf,
        /// Name of the suite in the file.
        found: String,
        /// Name of this suite.
        expected: String,
    },
    /// A later version of this program wrote the file of results.
    #[error("the results in {} have version {version}, this program reads up to {latest}", path.display())]
    Version {
        /// Path of the file.
        path: PathBuf,
        /// Version of the file.
        version: u32,
        /// Latest version that this program reads.
        latest: u32,
    },
    /// The trial has no cassette.
    #[error("the suite has no cassettes; set their folder with `Suite::cassettes`")]
    NoCassette,
}

/// Returns the message of an error with those of its sources.
pub(crate) fn describe(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}
