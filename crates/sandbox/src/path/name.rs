//! Quotes unusual names reversibly: a name with control characters or invalid UTF-8 is written between double
//! quotes with octal escapes, like git does.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;

/// Returns a name as the model sees it. At the start of a path more names need quotes, because they have a
/// special meaning there.
pub(crate) fn display_name(name: &OsStr, first: Position) -> Cow<'_, str> {
    match name.to_str() {
        Some(text) if is_odd(text) || first == Position::First && has_meaning(text) => {
            Cow::Owned(quote(name.as_encoded_bytes()))
        }
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(quote(name.as_encoded_bytes())),
    }
}

/// The position of a name in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    First,
    Later,
}

/// Returns true if the name has a special meaning at the start of a path.
fn has_meaning(text: &str) -> bool {
    text == "~" || text == crate::path::OUTPUTS
}

fn is_odd(text: &str) -> bool {
    text.starts_with('"')
        || text.chars().any(|letter| letter.is_control() || ['\u{2028}', '\u{2029}'].contains(&letter))
}

fn quote(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '"' | '\\' => text.extend(['\\', letter]),
                '\n' => text.push_str("\\n"),
                '\t' => text.push_str("\\t"),
                '\r' => text.push_str("\\r"),
                letter if is_odd(letter.encode_utf8(&mut [0; 4])) => {
                    escape(letter.encode_utf8(&mut [0; 4]).as_bytes(), &mut text);
                }
                letter => text.push(letter),
            }
        }
        escape(chunk.invalid(), &mut text);
    }
    text.push('"');
    text
}

fn escape(bytes: &[u8], text: &mut String) {
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "\\{byte:03o}");
    }
}

/// Returns the path that a text means: quoted names are decoded, all others stay as they are.
pub(crate) fn unquote(text: &str) -> Cow<'_, OsStr> {
    if !text.contains('"') {
        return Cow::Borrowed(OsStr::new(text));
    }
    let mut path = OsString::new();
    for (position, part) in text.split('/').enumerate() {
        if position > 0 {
            path.push("/");
        }
        match inner(part) {
            Some(name) => path.push(name),
            None => path.push(part),
        }
    }
    Cow::Owned(path)
}

/// Decodes a quoted name. Returns `None` if the text is not one.
fn inner(part: &str) -> Option<OsString> {
    let inside = part.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::with_capacity(inside.len());
    let mut rest = inside.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'"' => return None,
            b'\\' => match rest.next()? {
                byte @ (b'"' | b'\\') => byte,
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                first @ b'0'..=b'3' => octal([first, rest.next()?, rest.next()?])?,
                _ => return None,
            },
            byte => byte,
        });
    }
    // A separator between quotes would make it a path and not a name.
    if bytes.is_empty() || bytes.contains(&b'/') { None } else { from_bytes(bytes) }
}

fn octal(digits: [u8; 3]) -> Option<u8> {
    let text = std::str::from_utf8(&digits).ok()?;
    u8::from_str_radix(text, 8).ok()
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "on other systems a name has to be text")]
fn from_bytes(bytes: Vec<u8>) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(bytes))
}

#[cfg(not(unix))]
fn from_bytes(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}

#[cfg(test)]
mod tests;
