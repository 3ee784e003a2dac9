//! UTF-8 that is cut anywhere: the beginning of a character waits for its end.

/// Up to three bytes of a character whose end has not come.
#[derive(Debug, Default)]
pub(crate) struct Carry {
    bytes: [u8; 4],
    length: usize,
}

/// What bytes gave: text, and whether they were UTF-8 up to the end.
pub(crate) struct Decoded<'a> {
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

    /// Completes the carried character from the front of `bytes`: the character, if it is whole now, and the
    /// bytes that follow. `Err` says that it can no longer become one.
    pub(crate) fn complete<'a>(&mut self, mut bytes: &'a [u8]) -> Result<(Option<char>, &'a [u8]), ()> {
        while let [next, after @ ..] = bytes {
            *self.bytes.get_mut(self.length).ok_or(())? = *next;
            self.length = self.length.saturating_add(1);
            bytes = after;
            match std::str::from_utf8(self.carried()) {
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

    /// Decodes bytes that begin at a character, and carries the beginning of a last one.
    pub(crate) fn decode<'a>(&mut self, bytes: &'a [u8]) -> Decoded<'a> {
        let error = match std::str::from_utf8(bytes) {
            Ok(text) => return Decoded { text, valid: true },
            Err(error) => error,
        };
        let (valid, tail) = bytes.split_at_checked(error.valid_up_to()).unwrap_or((bytes, &[]));
        let text = std::str::from_utf8(valid).unwrap_or_default();
        if error.error_len().is_some() {
            return Decoded { text, valid: false };
        }
        for (slot, byte) in self.bytes.iter_mut().zip(tail) {
            *slot = *byte;
        }
        self.length = tail.len();
        Decoded { text, valid: true }
    }

    fn carried(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}
