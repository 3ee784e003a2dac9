//! The errors of workers and clients.

use crate::{AddressError, CipherError};

/// The reason why a worker or a client cannot do its work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The address cannot be used.
    #[error("the engine's address is unusable")]
    Address(#[from] AddressError),
    /// The key for the encryption of payloads cannot be used.
    #[error("the key for the history is unusable")]
    Cipher(#[from] CipherError),
    /// The server does not answer, or refuses the connection.
    #[error("the engine at {address} cannot be reached: {message}")]
    Connect {
        /// The address.
        address: String,
        /// The message of the client library.
        message: String,
    },
    /// The server refused an operation.
    #[error("the engine refused to {action}: {message}")]
    Refused {
        /// The operation.
        action: &'static str,
        /// The message of the client library.
        message: String,
    },
    /// The worker stopped with an error.
    #[error("the worker stopped: {0}")]
    Worker(String),
    /// The run ended without a report.
    #[error("the run ended without a report: {0}")]
    NoReport(String),
}

impl EngineError {
    /// Creates the error of a refused operation.
    pub(crate) fn from_refusal(action: &'static str, error: &dyn std::error::Error) -> Self {
        Self::Refused { action, message: describe(error) }
    }
}

/// Returns the messages of an error and its sources.
pub(crate) fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
