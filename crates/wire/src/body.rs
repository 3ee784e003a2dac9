//! The text of a body, and the order of fields in a request's body.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::{DecodeError, WireLimits};

/// Returns a body as text. Bytes that are not UTF-8 are replaced. Unlike `String::from_utf8_lossy`, it reads several bytes of
/// a valid body at once.
pub fn decode_text(body: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(body) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(body),
    }
}

/// Passes the text of a whole response body to `read`, without a BOM and white space around it.
///
/// # Errors
/// If the body has more bytes than `limits` allow, if its first character is not one of `starts`, such as `{`, because
/// then it is not this format's JSON, and if `read` fails.
pub fn read_whole_body(
    wire: &'static str,
    body: &[u8],
    limits: WireLimits,
    starts: &[char],
    read: impl FnOnce(&str) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    if body.len() > limits.body_bytes {
        return Err(DecodeError::Limit { what: "bytes of a whole body", limit: limits.body_bytes });
    }
    let text = decode_text(body);
    let text = text.trim_start_matches('\u{feff}').trim();
    if !text.starts_with(starts) {
        return Err(DecodeError::from_foreign_body(wire, text.as_bytes()));
    }
    read(text)
}

/// Merges a request's additional fields into the computed fields of a body. An additional field replaces the
/// computed field of the same name; the other additional fields are inserted before the last field, sorted by
/// name. The last field must be the messages, so that the body of each turn begins with the bytes of the
/// previous body (RULES N6).
///
/// ```
/// let extra = serde_json::json!({ "seed": 7, "stream": false });
/// let fields = vec![("stream", "true".to_owned()), ("messages", "[]".to_owned())];
/// let merged = windlass_wire::with_extra(fields, extra.as_object().unwrap(), |value| value.to_string());
/// assert_eq!(merged.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["stream", "seed", "messages"]);
/// assert_eq!(merged[0].1, "false");
/// ```
pub fn with_extra<'a, F>(
    fields: Vec<(&'a str, F)>,
    extra: &'a Map<String, Value>,
    field: impl Fn(&'a Value) -> F,
) -> Vec<(&'a str, F)> {
    // Sort explicitly, because the order of serde_json's map depends on a Cargo feature that another crate
    // can enable.
    let mut extra: BTreeMap<&str, &Value> =
        extra.iter().map(|(name, value)| (name.as_str(), value)).collect();
    let mut merged: Vec<(&str, F)> = fields
        .into_iter()
        .map(|(name, computed)| match extra.remove(name) {
            Some(value) => (name, field(value)),
            None => (name, computed),
        })
        .collect();
    let last = merged.pop();
    merged.extend(extra.into_iter().map(|(name, value)| (name, field(value))));
    merged.extend(last);
    merged
}
