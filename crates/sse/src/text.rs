//! Bytes of a stream as text.

use std::borrow::Cow;

use memchr::memrchr2;

/// The whole lines of many bytes as text, if they are UTF-8: to look at all at once is cheaper than at each.
pub(crate) fn text_of_lines(bytes: &[u8]) -> Option<&str> {
    const MANY: usize = 512;
    if bytes.len() < MANY {
        return None;
    }
    simdutf8::basic::from_utf8(bytes.get(..memrchr2(b'\n', b'\r', bytes)?)?).ok()
}

/// Bytes as text; what is not UTF-8 becomes U+FFFD. A line end never lies inside a character, so decoding
/// line by line equals decoding the stream.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}
