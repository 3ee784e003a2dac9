//! The error of a request that needs an ability that the model does not have.

use windlass_stream::{ModelError, ModelErrorKind};
use windlass_vendors::ParameterRejection;

/// Returns the error of a request that needs a missing ability, with advice.
pub(crate) fn explain_missing_ability(mut error: ModelError, rejection: &ParameterRejection) -> ModelError {
    let (kind, advice) = match rejection.parameter.as_str() {
        "tools" => (
            ModelErrorKind::Unsupported,
            "the model does not support tool calls: use text calls, or choose another model",
        ),
        "images" => (ModelErrorKind::Image, "the model does not support images: choose another model"),
        _ => (
            ModelErrorKind::Unsupported,
            "the model does not support structured output: describe the format in the prompt, or choose \
             another",
        ),
    };
    error.kind = kind;
    error.message = format!("{} ({advice}; later requests take this into account)", error.message);
    error
}
