//! Why a fetch gave nothing.

use std::error::Error;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use windlass_web_reach::Refusal;

use crate::UrlRefusal;

/// Why a fetch gave nothing. What a server answered is no error, whatever its status.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The text is no URL that may be fetched.
    #[error(transparent)]
    Url(#[from] UrlRefusal),
    /// The port is none of the web's, and the program did not name it.
    #[error("port {port} of {host} is not reachable: only 80 and 443 are")]
    Port {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// The name means this machine.
    #[error("{host} is this machine, and only the public internet is reachable")]
    LocalName {
        /// The host.
        host: String,
    },
    /// An address of the host is not public.
    #[error("{host} leads to {address}, which is not on the public internet")]
    NotPublic {
        /// The host.
        host: String,
        /// The address.
        address: IpAddr,
    },
    /// A key would go out without encryption.
    #[error("{host} would be sent a key without encryption, and nothing was sent")]
    KeyInTheOpen {
        /// The host.
        host: String,
    },
    /// The name has no address.
    #[error("the address of {host} cannot be found")]
    Unresolved {
        /// The host.
        host: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// No connection came about.
    #[error("{host} cannot be reached")]
    Unreachable {
        /// The host.
        host: String,
        /// What happened at the last of its addresses.
        source: io::Error,
    },
    /// No encrypted connection came about, most often for the certificate.
    #[error("no encrypted connection with {host}")]
    Encryption {
        /// The host.
        host: String,
        /// What was wrong.
        source: io::Error,
    },
    /// No connection in time.
    #[error("no connection with {host} within {limit:?}")]
    ConnectTimedOut {
        /// The host.
        host: String,
        /// The limit that was reached.
        limit: Duration,
    },
    /// No answer in time.
    #[error("no answer from {host} within {limit:?}")]
    TimedOut {
        /// The host.
        host: String,
        /// The limit that was reached.
        limit: Duration,
    },
    /// What came is not HTTP, or it ended before the answer began.
    #[error("{host} did not answer in HTTP")]
    Protocol {
        /// The host.
        host: String,
        /// What was wrong.
        source: Box<dyn Error + Send + Sync>,
    },
    /// One redirect after the other.
    #[error("more than {limit} redirects, the last one to {to}")]
    TooManyRedirects {
        /// The limit that was reached.
        limit: usize,
        /// Where it would have gone on.
        to: String,
    },
    /// A redirect leads to where nothing may be fetched.
    #[error("{from} redirects to where nothing is fetched")]
    Redirect {
        /// Who redirected.
        from: String,
        /// Why it was not followed.
        source: Box<Self>,
    },
    /// What came is no text.
    #[error("the server answered {status} with {media}, which is no text")]
    Media {
        /// The status.
        status: u16,
        /// The type, as the server said it.
        media: String,
    },
    /// The body is packed in a way that was not asked for.
    #[error("the body is encoded as {encoding}, which was not asked for")]
    Packing {
        /// How, as the server said it.
        encoding: String,
    },
    /// A certificate that the program gave cannot be used.
    #[error("the root certificate cannot be used")]
    Root {
        /// What was wrong.
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
    /// Whether the same fetch may succeed later.
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
