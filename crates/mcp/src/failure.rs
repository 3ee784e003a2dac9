//! Why there is no answer, and why a server cannot be had.

use std::io;
use std::time::Duration;

use rmcp::transport::streamable_http_client::StreamableHttpError;

use crate::AddressError;
use crate::transport::http_error::HttpError;
use crate::transport::message::ServerError;

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
    /// The server does not know the session any more; the request was refused before it ran.
    Lost,
    /// The server wants somebody to sign in; what it said about that.
    SignIn(String),
    /// It could not be reached.
    Unreached(String),
    /// It refused the request by itself, or something before it did.
    Refused(String),
    /// It may have run; the answer was lost.
    Broken(String),
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
    #[error("the server {server} was not ready in {} ms (limit `start`), which `startup_timeout_sec` sets{heard}", after.as_millis())]
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
    /// It wants somebody to sign in.
    #[error("the server {server} wants you to sign in: run `windlass mcp login {server}`")]
    SignIn {
        /// The server.
        server: String,
        /// What it said about that (`WWW-Authenticate`).
        challenge: String,
    },
    /// What goes to its address cannot be had.
    #[error("the server {server} cannot be asked: {source}")]
    Address {
        /// The server.
        server: String,
        /// Why.
        source: AddressError,
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
            Self::Lost => "it has forgotten the session".to_owned(),
            Self::SignIn(_) => "it wants somebody to sign in".to_owned(),
            Self::Unreached(why) | Self::Refused(why) | Self::Broken(why) => why.clone(),
        }
    }

    /// What an error of the way over HTTP means for a request.
    pub(crate) fn of_http(error: &StreamableHttpError<HttpError>) -> Self {
        match error {
            StreamableHttpError::SessionExpired => Self::Lost,
            StreamableHttpError::AuthRequired(error) => Self::SignIn(error.www_authenticate_header.clone()),
            StreamableHttpError::InsufficientScope(error) => {
                Self::SignIn(error.www_authenticate_header.clone())
            }
            StreamableHttpError::Client(error) => match error {
                HttpError::Unreached(_) => Self::Unreached(error.to_string()),
                HttpError::Status { status: 300..=499, .. } | HttpError::OldTransport => {
                    Self::Refused(error.to_string())
                }
                HttpError::TooLong(bytes) => {
                    Self::TooLong { bytes: u64::try_from(*bytes).unwrap_or(u64::MAX), head: String::new() }
                }
                _ => Self::Broken(error.to_string()),
            },
            StreamableHttpError::Auth(error) => {
                Self::Refused(windlass_hitl::display_safe(&error.to_string()))
            }
            StreamableHttpError::UnexpectedContentType(_) => {
                Self::Broken("its answer is of a kind that no server of MCP may give".to_owned())
            }
            _ => Self::Broken("the connection broke".to_owned()),
        }
    }
}
