//! Canonical JSON of values that a digest covers.

use serde::Serialize;
use windlass_protocol::Arguments;

/// Serializes a struct or a map as JSON with sorted keys, so that the order of the fields in their structs does
/// not count.
pub(crate) fn canonical(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).expect("texts, numbers and lists are JSON");
    Arguments::parse(json).expect("it was written as JSON").canonical()
}
