//! Errors of a fetch.

use std::error::Error;
use std::io;
use std::time::Duration;

use windlass_web_reach::ReachError;

use crate::UrlRefusal;

/// Error of a fetch. A response of a server is not an error, whatever its status.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The URL, the port or the address may not be fetched, or the host was not found or not reached.
    #[error(transparent)]
    Refused(#[from] ReachError),
    /// The request would send a key without encryption.
    #[error("the key would be sent to {host} without encryption; the request was not sent")]
    KeyInTheOpen {
        /// Host of the URL.
        host: String,
    },
    /// The TLS handshake failed, most often because of the certificate.
    #[error("no encrypted connection with {host}")]
    Encryption {
        /// Host of the URL.
        host: String,
        /// Error of the handshake.
        source: io::Error,
    },
    /// The connection timed out.
    #[error("no connection with {host} within {limit:?}")]
    ConnectTimedOut {
        /// Host of the URL.
        host: String,
        /// The timeout.
        limit: Duration,
    },
    /// The fetch timed out before the response began.
    #[error("no answer from {host} within {limit:?}")]
    TimedOut {
        /// Host of the URL.
        host: String,
        /// The timeout.
        limit: Duration,
    },
    /// The response is not HTTP, or the connection closed before it began.
    #[error("{host} did not answer in HTTP")]
    Protocol {
        /// Host of the URL.
        host: String,
        /// Error of the HTTP library.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The server redirected more often than allowed.
    #[error("more than {limit} redirects, the last one to {to}")]
    TooManyRedirects {
        /// Maximum number of redirects.
        limit: usize,
        /// URL of the last redirect.
        to: String,
    },
    /// A redirect leads to a URL that may not be fetched.
    #[error("{from} redirects to a URL that must not be fetched")]
    Redirect {
        /// Host that redirected.
        from: String,
        /// Reason why the redirect was not followed.
        source: Box<Self>,
    },
    /// The response is not text.
    #[error("the server answered {status} with {media}, which is not text")]
    Media {
        /// HTTP status.
        status: u16,
        /// Media type that the server declared.
        media: String,
    },
    /// The body has a content encoding that was not requested.
    #[error("the body is encoded as {encoding}, which was not requested")]
    Packing {
        /// Content encoding that the server declared.
        encoding: String,
    },
    /// A root certificate that the program supplied cannot be used.
    #[error("the root certificate cannot be used")]
    Root {
        /// Error of the certificate parser.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl From<UrlRefusal> for FetchError {
    fn from(refusal: UrlRefusal) -> Self {
        Self::Refused(ReachError::Url(refusal))
    }
}

impl FetchError {
    /// Returns true if the same fetch may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::ConnectTimedOut { .. } | Self::TimedOut { .. } | Self::Protocol { .. } => true,
            Self::Refused(refusal) => !refusal.is_rule(),
            Self::Redirect { source, .. } => source.is_retryable(),
            Self::KeyInTheOpen { .. }
            | Self::Encryption { .. }
            | Self::TooManyRedirects { .. }
            | Self::Media { .. }
            | Self::Packing { .. }
            | Self::Root { .. } => false,
        }
    }
}
