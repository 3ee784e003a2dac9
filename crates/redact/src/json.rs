//! Redaction of JSON texts and values.

use std::borrow::Cow;

use serde_json::Value;

use crate::Redactor;

/// Minimum number of digits of a number that is compared with the secrets.
const SHORTEST_NUMBER: usize = 4;

/// Removes secrets from the strings and numbers of a JSON text. All other bytes stay unchanged.
pub(crate) fn redact<'a>(redactor: &Redactor, text: &'a str) -> Cow<'a, str> {
    if redactor.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::new();
    let mut done = 0_usize;
    let mut from = 0_usize;
    while let Some((start, end)) = next_string(text, from) {
        let Some(literal) = text.get(start..end) else { break };
        replace_numbers(redactor, text, (from, start), &mut clean, &mut done);
        // Text that is not valid JSON is redacted as plain text.
        let Some(inside) = unquote(literal) else { return redactor.redact(text) };
        if let Cow::Owned(redacted) = redactor.redact(&inside) {
            clean.push_str(text.get(done..start).unwrap_or_default());
            clean.push_str(&Value::String(redacted).to_string());
            done = end;
        }
        from = end;
    }
    replace_numbers(redactor, text, (from, text.len()), &mut clean, &mut done);
    if done == 0 {
        return Cow::Borrowed(text);
    }
    clean.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(clean)
}

/// Like [`redact`], for a JSON value.
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
        Value::Number(number) if is_secret_number(redactor, &number.to_string()) => {
            *value = Value::String(Redactor::MARK.to_owned());
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Replaces each number between two strings that is a complete secret with the mark as a string. A number
/// that only contains the digits of a secret stays, because counts and times could match by chance.
fn replace_numbers(
    redactor: &Redactor,
    text: &str,
    (from, to): (usize, usize),
    clean: &mut String,
    done: &mut usize,
) {
    let mut at = from;
    while at < to {
        let end = at.saturating_add(number_length(text, at, to));
        if let Some(number) = text.get(at..end)
            && is_secret_number(redactor, number)
        {
            clean.push_str(text.get(*done..at).unwrap_or_default());
            clean.push_str(&Value::String(Redactor::MARK.to_owned()).to_string());
            *done = end;
        }
        at = end.saturating_add(1);
    }
}

/// Returns the length of the number that begins at a position and ends before `to`; 0 without a number.
pub(crate) fn number_length(text: &str, at: usize, to: usize) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E');
    text.as_bytes().get(at..to).unwrap_or_default().iter().take_while(|byte| is_part(byte)).count()
}

pub(crate) fn is_secret_number(redactor: &Redactor, number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    digits.len() >= SHORTEST_NUMBER && redactor.redact(digits) == Redactor::MARK
}

/// Returns the content of a string literal, or `None` if it is not valid JSON.
pub(crate) fn unquote(literal: &str) -> Option<Cow<'_, str>> {
    let plain = literal.strip_prefix('"')?.strip_suffix('"')?;
    if plain.contains('\\') {
        return serde_json::from_str::<String>(literal).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(plain))
}

/// Returns the start and the end of the next string literal.
pub(crate) fn next_string(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let start = from.checked_add(bytes.get(from..)?.iter().position(|&byte| byte == b'"')?)?;
    let mut at = start.checked_add(1)?;
    loop {
        match bytes.get(at) {
            Some(b'"') => return Some((start, at.checked_add(1)?)),
            Some(b'\\') => at = at.checked_add(2)?,
            Some(_) => at = at.checked_add(1)?,
            // The literal is not terminated, so the text is not JSON.
            None => return Some((start, bytes.len())),
        }
    }
}
