//! Writes text into a JSON string.

use std::fmt::Write as _;

/// Appends `text` as it stands inside of a JSON string.
pub(crate) fn escape_into(json: &mut String, text: &str) {
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let short = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0C => "\\f",
            0..=0x1F => "",
            _ => continue,
        };
        json.push_str(text.get(plain..at).unwrap_or_default());
        plain = at.saturating_add(1);
        json.push_str(short);
        if short.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(json, "\\u{byte:04x}");
        }
    }
    json.push_str(text.get(plain..).unwrap_or_default());
}

/// `text` as a whole JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len().saturating_add(2));
    json.push('"');
    escape_into(&mut json, text);
    json.push('"');
    json
}
