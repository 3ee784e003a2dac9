//! A position in the pushed text.

/// Iterates over a pushed text. No operation can leave its bounds.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// Returns the text that has not been consumed.
    #[inline]
    pub(crate) fn text(&self) -> &'a str {
        self.rest
    }

    /// Returns the bytes that have not been consumed.
    #[inline]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.rest.as_bytes()
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.rest.len()
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes().first().copied()
    }

    /// Consumes `length` bytes. Callers stop at ASCII bytes only, so this is always a character boundary.
    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> &'a str {
        let Some((taken, rest)) = self.rest.split_at_checked(length) else {
            return "";
        };
        self.rest = rest;
        taken
    }

    /// Consumes one ASCII byte.
    #[inline]
    pub(crate) fn bump(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or_default();
    }
}
