//! Why there is no answer, and why a server cannot be had.

use std::io;
use std::time::Duration;

use crate::message::ServerError;

/// Why a request has no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The server said no.
    Server(ServerError),
    /// The answer was too long and went past; this is its beginning.
    TooLong {
        bytes: u64,
        head: String,
    },
    /// The connection was over before the request could go out.
    NotSent,
    /// The server ended while the request was open.
    Gone,
    TimedOut(Duration),
    Cancelled,
}

/// Why a server cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Its program could not be started.
    #[error("the server {server} could not be started: {source}")]
    Connect {
        /// The server.
        server: String,
        /// Why.
        source: io::Error,
    },
    /// It took too long to introduce itself and to list its tools.
    #[error("the server {server} was not ready in {} ms (limit `start`){heard}", after.as_millis())]
    TimedOut {
        /// The server.
        server: String,
        /// How long it was waited for.
        after: Duration,
        /// What it said beside the protocol.
        heard: String,
    },
    /// It ended, or answered with what is no answer.
    #[error("the server {server} is no use: {why}{heard}")]
    Unfit {
        /// The server.
        server: String,
        /// What was met.
        why: String,
        /// What it said beside the protocol.
        heard: String,
    },
    /// It ended lately, and is left alone for a while.
    #[error("the server {server} ended; it is started again in {} ms at the earliest", wait.as_millis())]
    Waiting {
        /// The server.
        server: String,
        /// How long it is still left alone.
        wait: Duration,
    },
    /// It was stopped here.
    #[error("the server {server} was stopped")]
    Stopped {
        /// The server.
        server: String,
    },
}

impl Failure {
    /// In words, for a request of this program's own.
    pub(crate) fn told(&self) -> String {
        match self {
            Self::Server(error) => {
                format!(
                    "it answered with error {}: {}",
                    error.code,
                    windlass_hitl::display_safe(&error.message)
                )
            }
            Self::TooLong { bytes, .. } => format!("its answer has {bytes} bytes, which is too long"),
            Self::NotSent | Self::Gone => "it ended".to_owned(),
            Self::TimedOut(limit) => format!("it did not answer in {} ms", limit.as_millis()),
            Self::Cancelled => "it was not waited for".to_owned(),
        }
    }
}
