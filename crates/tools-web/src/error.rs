//! Errors of a fetch.

use std::error::Error;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use windlass_web_reach::Refusal;

use crate::UrlRefusal;

/// Error of a fetch. A response of a server is not an error, whatever its status.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The text is not a URL that may be fetched.
    #[error(transparent)]
    Url(#[from] UrlRefusal),
    /// The port is neither 80 nor 443, and the program did not allow it.
    #[error("port {port} of {host} is not reachable: only 80 and 443 are")]
    Port {
        /// Host of the URL.
        host: String,
        /// Port of the URL.
        port: u16,
    },
    /// The host name denotes this machine.
    #[error("{host} is this machine, and only the public internet is reachable")]
    LocalName {
        /// Host of the URL.
        host: String,
    },
    /// An address of the host is not public.
    #[error("{host} leads to {address}, which is not on the public internet")]
    NotPublic {
        /// Host of the URL.
        host: String,
        /// The address.
        address: IpAddr,
    },
    /// The request would send a key without encryption.
    #[error("{host} would be sent a key without encryption, and nothing was sent")]
    KeyInTheOpen {
        /// Host of the URL.
        host: String,
    },
    /// The host name cannot be resolved.
    #[error("the address of {host} cannot be found")]
    Unresolved {
        /// Host of the URL.
        host: String,
        /// Error of the resolver.
        source: io::Error,
    },
    /// The connection failed.
    #[error("{host} cannot be reached")]
    Unreachable {
        /// Host of the URL.
        host: String,
        /// Error of the last attempt.
        source: io::Error,
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
    #[error("{from} redirects to where nothing is fetched")]
    Redirect {
        /// Host that redirected.
        from: String,
        /// Reason why the redirect was not followed.
        source: Box<Self>,
    },
    /// The response is not text.
    #[error("the server answered {status} with {media}, which is no text")]
    Media {
        /// HTTP status.
        status: u16,
        /// Media type that the server declared.
        media: String,
    },
    /// The body has a content encoding that was not requested.
    #[error("the body is encoded as {encoding}, which was not asked for")]
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

impl From<Refusal> for FetchError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Url(refusal) => Self::Url(refusal),
            Refusal::Port { host, port } => Self::Port { host, port },
            Refusal::LocalName { host } => Self::LocalName { host },
            Refusal::NotPublic { host, address } => Self::NotPublic { host, address },
            Refusal::Unresolved { host, source } => Self::Unresolved { host, source },
            Refusal::Unreachable { host, source } => Self::Unreachable { host, source },
        }
    }
}

impl FetchError {
    /// Returns true if the same fetch may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Unresolved { .. }
            | Self::Unreachable { .. }
            | Self::ConnectTimedOut { .. }
            | Self::TimedOut { .. }
            | Self::Protocol { .. } => true,
            Self::Redirect { source, .. } => source.is_retryable(),
            Self::Url(_)
            | Self::Port { .. }
            | Self::LocalName { .. }
            | Self::NotPublic { .. }
            | Self::KeyInTheOpen { .. }
            | Self::Encryption { .. }
            | Self::TooManyRedirects { .. }
            | Self::Media { .. }
            | Self::Packing { .. }
            | Self::Root { .. } => false,
        }
    }
}
