//! The error of a request that needs an ability that the model does not have.

use windlass_stream::{ModelError, ModelErrorKind};
use windlass_vendors::ParameterRejection;

/// Returns the error of a request that needs a missing ability, with advice.
pub(crate) fn explain_missing_ability(mut error: ModelError, rejection: &ParameterRejection) -> ModelError {
    let (kind, advice) = match rejection.parameter.as_str() {
        "tools" => (
            ModelErrorKind::Unsupported,
            "the model has no tool calls of its own: let it write calls as text, or take another",
        ),
        "images" => (ModelErrorKind::Image, "the model sees no images: take another"),
        _ => (
            ModelErrorKind::Unsupported,
            "the model does not hold its answers to such a form: ask for the form in words, or take another",
        ),
    };
    error.kind = kind;
    error.message = format!("{} ({advice}; this is remembered where that helps)", error.message);
    error
}
