//! Errors of `CheckedClient`.

use std::error::Error;
use std::io;
use std::time::Duration;

use crate::{ReachError, UrlRefusal};

/// The reason why a request got no response. Its text contains neither the request nor its credentials.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// The URL, the port or an address must not be reached, or the host was not found or not reached.
    #[error(transparent)]
    Refused(#[from] ReachError),
    /// The TLS handshake failed, most often because of the certificate.
    #[error("no encrypted connection with {host}")]
    Encryption {
        /// The host.
        host: String,
        /// The error of the handshake.
        source: io::Error,
    },
    /// The connection timed out.
    #[error("no connection with {host} within {limit:?}")]
    ConnectTimedOut {
        /// The host.
        host: String,
        /// The time limit.
        limit: Duration,
    },
    /// The exchange timed out before the response began.
    #[error("no answer from {host} within {limit:?}")]
    TimedOut {
        /// The host.
        host: String,
        /// The time limit.
        limit: Duration,
    },
    /// The response is not HTTP, or the connection closed before it began.
    #[error("{host} did not answer in HTTP")]
    Protocol {
        /// The host.
        host: String,
        /// The error of the HTTP library.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// The reason why root certificates cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RootError {
    /// A certificate is malformed.
    #[error("the root certificate cannot be used: {problem}")]
    Malformed {
        /// The message of the certificate parser.
        problem: String,
    },
    /// The PEM contains no certificate.
    #[error("the root certificate cannot be used: the PEM contains none")]
    Empty,
}

impl SendError {
    /// Returns true if the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::ConnectTimedOut { .. } | Self::TimedOut { .. } | Self::Protocol { .. } => true,
            Self::Refused(refusal) => !refusal.is_rule(),
            Self::Encryption { .. } => false,
        }
    }
}

impl From<UrlRefusal> for SendError {
    fn from(refusal: UrlRefusal) -> Self {
        Self::Refused(refusal.into())
    }
}
