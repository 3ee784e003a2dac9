//! Members of JSON objects with typed errors.

use serde_json::{Map, Value};

use super::values::{DecodeError, DecodeLimits};

/// Parses a body within the limits.
pub(super) fn parse(body: &[u8], limits: &DecodeLimits) -> Result<Map<String, Value>, DecodeError> {
    if body.len() > limits.bytes {
        return Err(DecodeError::TooLarge { bytes: body.len(), limit: limits.bytes });
    }
    match serde_json::from_slice(body)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(wrong("the body", "an object")),
    }
}

pub(super) fn wrong(path: impl Into<String>, expected: &'static str) -> DecodeError {
    DecodeError::Field { path: path.into(), expected }
}

/// Returns a text, or an error if it is missing.
pub(super) fn text(fields: &Map<String, Value>, name: &str, path: &str) -> Result<String, DecodeError> {
    optional_text(fields, name, path)?.ok_or_else(|| wrong(join(path, name), "a text"))
}

/// Returns a text, or `None` if it is missing or null.
pub(super) fn optional_text(
    fields: &Map<String, Value>,
    name: &str,
    path: &str,
) -> Result<Option<String>, DecodeError> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(wrong(join(path, name), "a text")),
    }
}

/// Returns a list, which is empty if it is missing or null.
pub(super) fn list<'a>(
    fields: &'a Map<String, Value>,
    name: &'static str,
    limit: usize,
) -> Result<&'a [Value], DecodeError> {
    let entries = match fields.get(name) {
        None | Some(Value::Null) => return Ok(&[]),
        Some(Value::Array(entries)) => entries,
        Some(_) => return Err(wrong(name, "a list")),
    };
    if entries.len() > limit {
        return Err(DecodeError::TooMany { path: name, count: entries.len(), limit });
    }
    Ok(entries)
}

/// Returns an object.
pub(super) fn object<'a>(value: &'a Value, path: &str) -> Result<&'a Map<String, Value>, DecodeError> {
    value.as_object().ok_or_else(|| wrong(path, "an object"))
}

/// Checks the number of answers.
pub(super) fn check_answers(count: usize, limits: &DecodeLimits) -> Result<(), DecodeError> {
    if count > limits.answers {
        return Err(DecodeError::TooMany { path: "the answers", count, limit: limits.answers });
    }
    Ok(())
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
