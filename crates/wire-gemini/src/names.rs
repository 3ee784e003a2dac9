//! Names that this format gives to things, and the rules for names.

use windlass_protocol::Opaque;
use windlass_wire::EncodeError;

use crate::request::Rest;

/// The name of this format in opaque data and in recordings.
pub(crate) const NAME: &str = "gemini";

/// The fields that merge the request's own members with the computed ones.
pub(crate) const CONFIG: &str = "generationConfig";
pub(crate) const RESPONSE_SCHEMA: &str = "responseSchema";
pub(crate) const RESPONSE_JSON_SCHEMA: &str = "responseJsonSchema";
pub(crate) const CHOICE: &str = "toolConfig";

/// Returns a group of this API's opaque fields, by name.
pub(crate) fn rest<'a>(opaque: Option<&'a Opaque>, name: &str) -> Rest<'a> {
    let fields = opaque.and_then(|opaque| opaque.for_wire(NAME)?.get(name)?.as_object());
    fields.into_iter().flatten().map(|(name, value)| (name.as_str(), value)).collect()
}

/// Checks a name against the API's rule: at most 64 letters, digits, `_`, `.`, `:` and `-`, with a letter or
/// `_` first. Newer servers accept 128, older ones refuse that.
pub(crate) fn is_legal_name(name: &str) -> bool {
    name.len() <= 64 && name.bytes().next().is_some_and(is_first) && name.bytes().all(is_legal)
}

/// Returns true for the characters that the API accepts in names.
pub(crate) fn is_legal(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':')
}

/// Returns true for the characters that the API accepts at the start of a name.
pub(crate) fn is_first(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Returns the error of a request that this format cannot express.
pub(crate) fn encode_error(what: impl Into<String>) -> EncodeError {
    EncodeError::Unsupported { wire: NAME, what: what.into() }
}
