//! The command that changes the result of a call in a recorded run.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use windlass_protocol::ResultStatus;

use super::{Approval, Otlp, Reach};

#[derive(Debug, Args)]
#[command(
    after_help = "Example: windlass fork recorded.jsonl --at call_0_1 --answer \"the file is locked\" --record forked.jsonl"
)]
pub(crate) struct Fork {
    /// Cassette that `windlass run --record` wrote.
    #[arg(value_name = "FILE")]
    pub(crate) cassette: PathBuf,
    /// Id of the call that gets another result.
    #[arg(long, value_name = "CALL")]
    pub(crate) at: String,
    /// The new result; `-` reads it from standard input.
    #[arg(long, value_name = "TEXT")]
    pub(crate) answer: String,
    /// Status of the new result.
    #[arg(long, value_enum, default_value = "ok")]
    pub(crate) status: StatusName,
    /// Record the forked run in this file, from its beginning.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) approval: Approval,
    #[command(flatten)]
    pub(crate) reach: Reach,
    #[command(flatten)]
    pub(crate) otlp: Otlp,
    /// Print each event as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Status of a result that a human gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatusName {
    /// Success.
    Ok,
    /// Failure.
    Error,
    /// Timeout.
    TimedOut,
    /// Cancelled.
    Cancelled,
}

impl StatusName {
    pub(crate) fn status(self) -> ResultStatus {
        match self {
            Self::Ok => ResultStatus::Ok,
            Self::Error => ResultStatus::Error,
            Self::TimedOut => ResultStatus::TimedOut,
            Self::Cancelled => ResultStatus::Cancelled,
        }
    }
}
