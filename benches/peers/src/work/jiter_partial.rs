//! jiter on an incomplete text: keeps unfinished strings and borrows where possible.

use jiter::{JsonValue, PartialMode};

/// Parses a text that may end anywhere.
pub(super) fn parse(text: &str) -> Option<JsonValue<'_>> {
    JsonValue::parse_with_config(text.as_bytes(), false, PartialMode::TrailingStrings).ok()
}

/// Returns the number of keys of a jiter object, and the length of its `content`.
pub(super) fn keys_and_content(value: &JsonValue<'_>) -> (usize, usize) {
    let JsonValue::Object(members) = value else { return (0, 0) };
    let content = members.iter().find(|(key, _)| key == "content").map_or(0, |(_, value)| match value {
        JsonValue::Str(text) => text.len(),
        _ => 0,
    });
    (members.len(), content)
}
