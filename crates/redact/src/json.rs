//! Secrets in the strings of a JSON text.

use std::borrow::Cow;

use serde_json::Value;

use crate::Redactor;

/// The text without the secrets in its strings; everything else of it stays byte for byte.
pub(crate) fn redact<'a>(redactor: &Redactor, text: &'a str) -> Cow<'a, str> {
    if redactor.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::new();
    let mut done = 0_usize;
    let mut from = 0_usize;
    while let Some((start, end)) = next_string(text, from) {
        let Some(literal) = text.get(start..end) else { break };
        // What is no JSON is text.
        let Some(inside) = inside(literal) else { return redactor.redact(text) };
        if let Cow::Owned(redacted) = redactor.redact(&inside) {
            clean.push_str(text.get(done..start).unwrap_or_default());
            clean.push_str(&Value::String(redacted).to_string());
            done = end;
        }
        from = end;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    clean.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(clean)
}

/// The same for a value.
pub(crate) fn redact_value(redactor: &Redactor, value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(redacted) = redactor.redact(text) {
                *text = redacted;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact_value(redactor, item)),
        Value::Object(fields) => {
            let is_secret = |key: &String| redactor.contains_secret(key);
            if fields.keys().any(is_secret) {
                let old = std::mem::take(fields);
                fields
                    .extend(old.into_iter().map(|(key, value)| (redactor.redact(&key).into_owned(), value)));
            }
            fields.values_mut().for_each(|field| redact_value(redactor, field));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What a string literal says.
fn inside(literal: &str) -> Option<Cow<'_, str>> {
    let plain = literal.strip_prefix('"')?.strip_suffix('"')?;
    if plain.contains('\\') {
        return serde_json::from_str::<String>(literal).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(plain))
}

/// Where the next string literal begins, and where the text goes on behind it.
fn next_string(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let start = from.checked_add(bytes.get(from..)?.iter().position(|&byte| byte == b'"')?)?;
    let mut at = start.checked_add(1)?;
    loop {
        match bytes.get(at) {
            Some(b'"') => return Some((start, at.checked_add(1)?)),
            Some(b'\\') => at = at.checked_add(2)?,
            Some(_) => at = at.checked_add(1)?,
            // It does not end: what is there is no JSON.
            None => return Some((start, bytes.len())),
        }
    }
}
