//! Errors of a request, and errors of the start of a server.

use std::io;
use std::time::Duration;

use rmcp::transport::streamable_http_client::StreamableHttpError;

use crate::AddressError;
use crate::protocol_fault::ProtocolFault;
use crate::transport::http_error::HttpError;
use crate::transport::message::ServerError;

/// Error of a request.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The server answered with a JSON-RPC error.
    Server(ServerError),
    /// The server answered with a result that the protocol does not allow.
    Fault(ProtocolFault),
    /// The answer exceeded `McpLimits::frame_bytes` and was discarded.
    TooLong {
        /// Its length and its beginning; `None` over HTTP, where an answer is not read beyond the limit.
        read: Option<(u64, String)>,
    },
    /// The connection ended before the request was sent.
    NotSent,
    /// The server ended before it answered.
    Gone,
    TimedOut(Duration),
    Cancelled,
    /// The server does not know the session any more, so it refused the request before running it.
    Lost,
    /// The server requires a sign-in. The text is its `WWW-Authenticate` header.
    SignIn(String),
    /// No connection could be made.
    Unreached(String),
    /// The request was refused: by HTTP status 300 to 499, because the server has only the old HTTP+SSE
    /// transport, or by an error of the OAuth client.
    Refused(String),
    /// The connection broke after the request was sent: it may have run, and its answer is lost.
    Broken(String),
}

/// Error of the start of a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The program could not be started.
    #[error("the server {server} could not be started: {source}")]
    Connect {
        /// The server's id.
        server: String,
        /// The cause.
        source: io::Error,
    },
    /// The server did not complete the handshake and list its tools within `McpLimits::start`.
    #[error("the server {server} was not ready in {} ms (limit `start`), which `startup_timeout_sec` sets{heard}", after.as_millis())]
    TimedOut {
        /// The server's id.
        server: String,
        /// The limit.
        after: Duration,
        /// The end of its standard error output, safe to display.
        heard: String,
    },
    /// The server ended, sent an invalid answer, or speaks an unknown version of MCP.
    #[error("the server {server} cannot be used: {why}{heard}")]
    Unfit {
        /// The server's id.
        server: String,
        /// The reason, safe to display.
        why: String,
        /// The end of its standard error output, safe to display.
        heard: String,
    },
    /// The server requires a sign-in.
    #[error("the server {server} requires you to sign in: run `windlass mcp login {server}`")]
    SignIn {
        /// The server's id.
        server: String,
        /// The server's `WWW-Authenticate` header.
        challenge: String,
    },
    /// An environment variable with a header or a token for the server is not usable.
    #[error("the configuration of the server {server} cannot be used: {source}")]
    Address {
        /// The server's id.
        server: String,
        /// The cause.
        source: AddressError,
    },
    /// The server ended a short time ago, and the delay before its next start is not over.
    #[error("the server {server} ended; it is started again in {} ms at the earliest", wait.as_millis())]
    Waiting {
        /// The server's id.
        server: String,
        /// The rest of the delay.
        wait: Duration,
    },
    /// The application stopped the server.
    #[error("the server {server} was stopped")]
    Stopped {
        /// The server's id.
        server: String,
    },
}

impl Failure {
    /// Returns the reason in words, for requests that are not calls of a model.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Server(error) => {
                format!(
                    "it answered with error {}: {}",
                    error.code,
                    windlass_hitl::display_safe(&error.message)
                )
            }
            Self::Fault(fault) => fault.to_string(),
            Self::TooLong { read: Some((bytes, _)) } => {
                format!("its answer has {bytes} bytes, which is too long")
            }
            Self::TooLong { read: None } => "its answer is too long".to_owned(),
            Self::NotSent | Self::Gone => "it ended".to_owned(),
            Self::TimedOut(limit) => format!("it did not answer in {} ms", limit.as_millis()),
            Self::Cancelled => "the call was cancelled".to_owned(),
            Self::Lost => "it has lost the session".to_owned(),
            Self::SignIn(_) => "it requires a sign-in".to_owned(),
            Self::Unreached(why) | Self::Refused(why) | Self::Broken(why) => why.clone(),
        }
    }

    /// Maps an error of the HTTP transport to the failure of a request.
    pub(crate) fn from_http(error: &StreamableHttpError<HttpError>) -> Self {
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
                HttpError::TooLong(_) => Self::TooLong { read: None },
                _ => Self::Broken(error.to_string()),
            },
            StreamableHttpError::Auth(error) => {
                Self::Refused(windlass_hitl::display_safe(&error.to_string()))
            }
            StreamableHttpError::UnexpectedContentType(_) => {
                Self::Broken("its answer is not a valid MCP response".to_owned())
            }
            _ => Self::Broken("the connection broke".to_owned()),
        }
    }
}
