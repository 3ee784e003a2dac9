//! Names that this format gives to things, and the rules for names.

use windlass_wire::EncodeError;

/// The name of this format in opaque data and in recordings.
pub(crate) const NAME: &str = "openai-chat";

/// Checks a name against the API's rule: at most 64 letters, digits, `_` and `-`.
pub(crate) fn is_legal_name(name: &str) -> bool {
    name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Returns the error of a request that this format cannot express.
pub(crate) fn encode_error(what: impl Into<String>) -> EncodeError {
    EncodeError::Unsupported { wire: NAME, what: what.into() }
}
