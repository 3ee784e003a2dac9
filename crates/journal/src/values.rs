//! Large strings of a record's body, and the body with references in their places.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use windlass_protocol::RawJson;

use crate::{JournalError, Record};

/// Smallest string that is stored outside of its record, in bytes of JSON.
const LARGE_BYTES: usize = 64 * 1024;
/// The JSON in the place of a large string. A program that does not know references expects a string there and fails.
const PLACEHOLDER: &str = "null";

/// A record as a line of a file contains it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredRecord {
    pub(crate) seq: u64,
    pub(crate) at_ms: u64,
    pub(crate) body: RawJson,
    /// References in the order of their places. They are beside the body, so no text of a model or a user can look like
    /// a reference. Records of early versions do not have them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) values: Vec<ValueReference>,
}

/// A reference to a large string of a record's body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ValueReference {
    /// Offset of the placeholder in the body, in bytes.
    at: usize,
    /// SHA-256 of the value in hexadecimal digits.
    pub(crate) sha256: String,
    /// Size of the value in bytes.
    pub(crate) len: u64,
    form: ValueForm,
}

/// Relation of a value to the string in the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ValueForm {
    /// The value is the bytes that the string encodes as standard base64, for example a picture.
    Base64,
    /// The value is the string as JSON, with its quotes.
    Json,
}

impl StoredRecord {
    /// Separates the large strings from a record. `store` stores a value under its hash.
    pub(crate) fn split(
        record: Record,
        mut store: impl FnMut(&ValueReference, &[u8]) -> Result<(), JournalError>,
    ) -> Result<Self, JournalError> {
        let Record { seq, at_ms, body } = record;
        let (mut values, mut rest, mut copied) = (Vec::new(), String::new(), 0_usize);
        let text = body.as_str();
        for (start, end) in large_strings(text) {
            rest.push_str(text.get(copied..start).unwrap_or_default());
            let (form, value) = to_value(text.get(start..end).unwrap_or_default());
            let reference =
                ValueReference { at: rest.len(), sha256: hash(&value), len: value.len() as u64, form };
            store(&reference, &value)?;
            values.push(reference);
            rest.push_str(PLACEHOLDER);
            copied = end;
        }
        if values.is_empty() {
            return Ok(Self { seq, at_ms, body, values });
        }
        rest.push_str(text.get(copied..).unwrap_or_default());
        let body = rest.parse().map_err(|source| JournalError::Encode { source })?;
        Ok(Self { seq, at_ms, body, values })
    }

    /// Puts the large strings back into the record. `load` returns a value, whose hash it has checked.
    pub(crate) fn join(
        self,
        mut load: impl FnMut(&ValueReference) -> Result<Vec<u8>, JournalError>,
    ) -> Result<Record, JournalError> {
        let Self { seq, at_ms, body, values } = self;
        if values.is_empty() {
            return Ok(Record { seq, at_ms, body });
        }
        let text = body.as_str();
        let (mut whole, mut copied) = (String::new(), 0_usize);
        for reference in &values {
            // The line's checksum holds, so only a writer with an error gets here.
            let before = text.get(copied..reference.at);
            let after = text.get(reference.at..).and_then(|rest| rest.strip_prefix(PLACEHOLDER));
            let (Some(before), Some(after)) = (before, after) else {
                return Err(JournalError::Body {
                    seq,
                    source: serde::de::Error::custom("a reference without a place"),
                });
            };
            whole.push_str(before);
            copied = text.len().saturating_sub(after.len());
            let value = load(reference)?;
            match reference.form {
                ValueForm::Base64 => {
                    whole.push('"');
                    STANDARD.encode_string(&value, &mut whole);
                    whole.push('"');
                }
                ValueForm::Json => whole.push_str(&String::from_utf8_lossy(&value)),
            }
        }
        whole.push_str(text.get(copied..).unwrap_or_default());
        let body = whole.parse().map_err(|source| JournalError::Body { seq, source })?;
        Ok(Record { seq, at_ms, body })
    }
}

/// Returns the SHA-256 of bytes in hexadecimal digits.
pub(crate) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |text, byte| format!("{text}{byte:02x}"))
}

/// Returns the start and the end of each large string that is a value, with its quotes. Keys stay in the body.
fn large_strings(json: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    if json.len() < LARGE_BYTES {
        return found;
    }
    let bytes = json.as_bytes();
    let position = |from: usize, wanted: &[u8]| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().position(|byte| wanted.contains(byte)).map(|at| from.saturating_add(at))
    };
    let mut at = 0;
    while let Some(start) = position(at, b"\"") {
        let mut end = start.saturating_add(1);
        // The text is valid JSON, so each string has an end.
        while let Some(special) = position(end, b"\"\\") {
            let is_escape = bytes.get(special) == Some(&b'\\');
            end = special.saturating_add(if is_escape { 2 } else { 1 });
            if !is_escape {
                break;
            }
        }
        let mut after = bytes.get(end..).unwrap_or_default().iter();
        let is_key = after.find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
        if !is_key && end.saturating_sub(start) >= LARGE_BYTES {
            found.push((start, end));
        }
        at = end;
    }
    found
}

/// Returns the value of a JSON string with its quotes.
fn to_value(string: &str) -> (ValueForm, Cow<'_, [u8]>) {
    let inner = string.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(string);
    // The decoder accepts canonical base64 only, so the encoder returns the same string.
    match STANDARD.decode(inner) {
        Ok(bytes) => (ValueForm::Base64, Cow::Owned(bytes)),
        Err(_) => (ValueForm::Json, Cow::Borrowed(string.as_bytes())),
    }
}

#[cfg(test)]
mod tests;
