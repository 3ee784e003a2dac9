//! Answers of a server that the protocol of 2026-07-28 does not allow or that exceed a limit.

/// A valid JSON-RPC result that this client does not accept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProtocolFault {
    /// The text is safe to display.
    #[error("its result has the type {0:?}, which this client does not know")]
    UnknownResult(String),
    #[error("it requires input for a request that allows none")]
    UnexpectedInput,
    #[error("it required input {0} times in a row for one request")]
    Rounds(usize),
    #[error("its request for input exceeds the limit on {0}")]
    InputLimit(&'static str),
    #[error("it requires input of the kind {0:?}, which this client does not give")]
    InputRefused(String),
    #[error("it identifies itself by another name than before")]
    Identity,
}
