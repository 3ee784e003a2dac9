//! Words of a literal that are no strings: numbers, truth, nothing.

use serde_json::value::RawValue;

use crate::escape::quoted;

/// Appends a word as JSON. A word that JSON does not have becomes a string.
pub(super) fn word_into(word: &str, json: &mut String) {
    let known = match word {
        "True" | "true" => "true",
        "False" | "false" => "false",
        "None" | "null" => "null",
        _ => "",
    };
    if !known.is_empty() {
        json.push_str(known);
        return;
    }
    let plain = word.strip_prefix('+').unwrap_or(word).replace('_', "");
    let is_number = plain.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && serde_json::from_str::<&RawValue>(&plain).is_ok();
    if is_number {
        json.push_str(&plain);
    } else {
        json.push_str(&quoted(word));
    }
}
