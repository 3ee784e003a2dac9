//! Bodies as text.

use std::borrow::Cow;

/// Returns a body as text. Bytes that are not UTF-8 are replaced. Unlike `String::from_utf8_lossy`, it reads several bytes of
/// a valid body at once.
pub fn decode_text(body: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(body) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(body),
    }
}
