//! Conversion of a stream's bytes to text.

use alloc::borrow::Cow;
use alloc::string::String;

use memchr::memrchr2;

/// Returns all complete lines as text if they are valid UTF-8. One check of all lines is cheaper than one per
/// line. Returns `None` for fewer than 512 bytes.
pub(crate) fn text_of_lines(bytes: &[u8]) -> Option<&str> {
    const MANY: usize = 512;
    if bytes.len() < MANY {
        return None;
    }
    simdutf8::basic::from_utf8(bytes.get(..memrchr2(b'\n', b'\r', bytes)?)?).ok()
}

/// Decodes bytes and replaces invalid UTF-8 with U+FFFD. A line end cannot be inside a UTF-8 sequence, so
/// decoding line by line equals decoding the stream.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}
