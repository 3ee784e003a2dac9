//! Errors of resources and prompts.

/// Error of a request for a resource or a prompt. A client gets its text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The server does not have it, or this client may not have it.
    #[error("not found")]
    NotFound,
    /// The client's request is not valid.
    #[error("{0}")]
    Invalid(String),
    /// The server failed.
    #[error("{0}")]
    Failed(String),
}
