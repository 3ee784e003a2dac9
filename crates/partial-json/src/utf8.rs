//! UTF-8 decoding of input that may be split inside a character.

/// The first bytes, at most three, of a character whose last byte has not arrived.
#[derive(Debug, Default)]
pub(crate) struct Carry {
    bytes: [u8; 4],
    length: usize,
}

/// The result of decoding: text, and whether the input was valid UTF-8 up to its end.
pub(crate) struct DecodedText<'a> {
    pub(crate) text: &'a str,
    pub(crate) valid: bool,
}

impl Carry {
    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Completes the carried character with bytes from the front of `bytes`. Returns the character, if it is
    /// now complete, and the remaining bytes. Returns `Err` if the carried bytes cannot become a valid
    /// character.
    pub(crate) fn complete<'a>(&mut self, mut bytes: &'a [u8]) -> Result<(Option<char>, &'a [u8]), ()> {
        while let [next, after @ ..] = bytes {
            *self.bytes.get_mut(self.length).ok_or(())? = *next;
            self.length = self.length.saturating_add(1);
            bytes = after;
            match core::str::from_utf8(self.bytes()) {
                Ok(text) => {
                    let whole = text.chars().next();
                    self.length = 0;
                    return Ok((whole, bytes));
                }
                Err(error) if error.error_len().is_some() => return Err(()),
                Err(_) => {}
            }
        }
        Ok((None, bytes))
    }

    /// Decodes bytes that start at a character boundary, and carries an incomplete last character.
    pub(crate) fn decode<'a>(&mut self, bytes: &'a [u8]) -> DecodedText<'a> {
        let error = match core::str::from_utf8(bytes) {
            Ok(text) => return DecodedText { text, valid: true },
            Err(error) => error,
        };
        let (valid, tail) = bytes.split_at_checked(error.valid_up_to()).unwrap_or((bytes, &[]));
        let text = core::str::from_utf8(valid).unwrap_or_default();
        if error.error_len().is_some() {
            return DecodedText { text, valid: false };
        }
        for (slot, byte) in self.bytes.iter_mut().zip(tail) {
            *slot = *byte;
        }
        self.length = tail.len();
        DecodedText { text, valid: true }
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}
