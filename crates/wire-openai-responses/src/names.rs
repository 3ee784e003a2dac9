//! Names that this format gives to things, and the rules for names.

use windlass_protocol::Opaque;
use windlass_wire::EncodeError;

use crate::request::Rest;

/// The name of this format in opaque data and in recordings.
pub(crate) const NAME: &str = "openai-responses";

/// Returns the opaque fields of this API, except those in `read`, which the caller encodes one by one.
pub(crate) fn rest<'a>(opaque: Option<&'a Opaque>, read: &[&str]) -> Rest<'a> {
    let fields = opaque.and_then(|opaque| opaque.for_wire(NAME)?.as_object());
    let rest = fields.into_iter().flatten().filter(|(name, _)| !read.contains(&name.as_str()));
    rest.map(|(name, value)| (name.as_str(), value)).collect()
}

/// Checks a name against the API's rule: at most 64 letters, digits, `_` and `-`.
pub(crate) fn is_legal_name(name: &str) -> bool {
    name.len() <= 64 && name.chars().all(is_legal_char)
}

/// Returns true for the characters that the API accepts in names and ids.
pub(crate) fn is_legal_char(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

/// Returns the error of a request that this format cannot express.
pub(crate) fn encode_error(what: impl Into<String>) -> EncodeError {
    EncodeError::Unsupported { wire: NAME, what: what.into() }
}
