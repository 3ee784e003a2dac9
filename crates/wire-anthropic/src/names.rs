//! Names that this format gives to things, and the rules for names.

use windlass_wire::EncodeError;

/// The name of this format in opaque data and in recordings.
pub(crate) const NAME: &str = "anthropic";

/// The field under which a block of unknown type is stored in an `Unknown` value, named as in the API's own
/// start event. The encoder sends back only values that have this field; an unknown event does not have it,
/// so it is never sent.
pub(crate) const BLOCK_FIELD: &str = "content_block";

/// Checks a name against the API's rule: at most 128 letters, digits, `_` and `-`.
pub(crate) fn is_legal_name(name: &str) -> bool {
    name.len() <= 128 && name.bytes().all(is_legal)
}

/// Returns true for the characters that the API accepts in names and ids.
pub(crate) fn is_legal(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Returns the error of a request that this format cannot express.
pub(crate) fn encode_error(what: impl Into<String>) -> EncodeError {
    EncodeError::Unsupported { wire: NAME, what: what.into() }
}
