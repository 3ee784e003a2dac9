//! Errors of a fetch.

use windlass_web_reach::{ReachError, SendError};

use crate::UrlRefusal;

/// Error of a fetch. A response of a server is not an error, whatever its status.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The request was refused, or got no response.
    #[error(transparent)]
    Send(#[from] SendError),
    /// The request would send a key without encryption.
    #[error("the key would be sent to {host} without encryption; the request was not sent")]
    KeyInTheOpen {
        /// Host of the URL.
        host: String,
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
}

impl From<UrlRefusal> for FetchError {
    fn from(refusal: UrlRefusal) -> Self {
        Self::Send(refusal.into())
    }
}

impl From<ReachError> for FetchError {
    fn from(refusal: ReachError) -> Self {
        Self::Send(refusal.into())
    }
}

impl FetchError {
    /// Returns true if the same fetch may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Send(error) => error.is_retryable(),
            Self::Redirect { source, .. } => source.is_retryable(),
            Self::KeyInTheOpen { .. }
            | Self::TooManyRedirects { .. }
            | Self::Media { .. }
            | Self::Packing { .. } => false,
        }
    }
}
