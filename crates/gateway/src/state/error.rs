//! Errors of stored state, with the codes for which the API's client libraries send the whole conversation.

use windlass_wire::{ProviderError, ProviderErrorKind};

use super::store::StateError;

/// Returns the error of a request that continues a response which is not stored. Clients that see its code send the
/// whole conversation.
pub(crate) fn previous_not_found(id: &str) -> ProviderError {
    let what = format!("Previous response with id '{id}' not found.");
    ProviderError::new(ProviderErrorKind::Request, Some("previous_response_not_found".to_owned()), what)
        .with_parameter(Some("previous_response_id".to_owned()))
}

/// Returns the error of a response, conversation or item that is not stored. `noun` begins with a capital letter.
pub(crate) fn not_found(noun: &str, id: &str) -> ProviderError {
    let what = format!("{noun} with id '{id}' not found.");
    ProviderError::new(ProviderErrorKind::NotFound, Some("not_found".to_owned()), what).with_status(404)
}

/// Returns the error of a parameter with a wrong value.
pub(crate) fn wrong(parameter: &str, what: impl Into<String>) -> ProviderError {
    let error = ProviderError::new(ProviderErrorKind::Request, Some("invalid_value".to_owned()), what);
    error.with_parameter(Some(parameter.to_owned()))
}

/// Returns the error of two parameters that exclude each other.
pub(crate) fn mutually_exclusive() -> ProviderError {
    let what =
        "Mutually exclusive parameters: provide only one of 'previous_response_id' and 'conversation'.";
    ProviderError::new(ProviderErrorKind::Request, Some("mutually_exclusive_parameters".to_owned()), what)
}

/// Returns the error of a stored conversation that is too long to be sent.
pub(crate) fn too_long(limit: usize) -> ProviderError {
    let what = format!("the stored conversation exceeds the {limit} bytes that the gateway sends");
    ProviderError::new(ProviderErrorKind::ContextLength, None, what)
}

/// Returns the error of two requests that change one conversation at the same time.
pub(crate) fn conversation_locked() -> ProviderError {
    let what = "Another process is currently operating on this conversation. Please retry in a few seconds.";
    ProviderError::new(ProviderErrorKind::Request, Some("conversation_locked".to_owned()), what)
}

impl From<StateError> for ProviderError {
    fn from(error: StateError) -> Self {
        let kind = match error {
            StateError::TooLarge { .. } => ProviderErrorKind::Request,
            StateError::Failed(_) => ProviderErrorKind::Server,
        };
        Self::new(kind, None, error.to_string())
    }
}
