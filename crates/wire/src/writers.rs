//! Writers without a buffer of their own.

use std::fmt;

use bytes::BytesMut;

/// A writer that compares its input with a text, without a buffer.
pub(crate) struct CompareWriter<'a> {
    pub(crate) rest: &'a str,
    pub(crate) is_same: bool,
}

impl fmt::Write for CompareWriter<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match self.rest.strip_prefix(text) {
            Some(rest) => self.rest = rest,
            None => self.is_same = false,
        }
        Ok(())
    }
}

/// An `io::Write` that appends JSON to a body.
pub(crate) struct BodyWriter<'a>(pub(crate) &'a mut BytesMut);

impl std::io::Write for BodyWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
