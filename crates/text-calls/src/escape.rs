//! JSON string escaping.

use std::fmt::Write as _;

/// Appends `text`, escaped for the inside of a JSON string.
pub(crate) fn escape_into(json: &mut String, text: &str) {
    let is_special = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    let mut rest = text;
    while let Some(at) = rest.bytes().position(is_special) {
        json.push_str(rest.get(..at).unwrap_or_default());
        match rest.as_bytes().get(at).copied().unwrap_or_default() {
            b'"' => json.push_str("\\\""),
            b'\\' => json.push_str("\\\\"),
            b'\n' => json.push_str("\\n"),
            b'\r' => json.push_str("\\r"),
            b'\t' => json.push_str("\\t"),
            // Writing to a `String` cannot fail.
            byte => drop(write!(json, "\\u{byte:04x}")),
        }
        rest = rest.get(at.saturating_add(1)..).unwrap_or_default();
    }
    json.push_str(rest);
}

/// Returns `text` as a complete JSON string with quotes.
pub(crate) fn quote(text: &str) -> String {
    let mut json = String::with_capacity(text.len().saturating_add(2));
    json.push('"');
    escape_into(&mut json, text);
    json.push('"');
    json
}
