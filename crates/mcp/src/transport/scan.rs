//! A streaming scan of JSON bytes without buffering, for the nesting depth and the top-level id.

/// A scanner of JSON that was split into chunks. It does not validate: for invalid JSON depth and id are
/// arbitrary, so use them only for a refusal or a look-up.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    depth: usize,
    deepest: usize,
    in_string: bool,
    escaped: bool,
    /// Match of the last top-level string with `id`.
    key: Key,
    id: Number,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Key {
    #[default]
    Other,
    Empty,
    I,
    Id,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Number {
    #[default]
    Missing,
    Awaited,
    Growing(u64),
    Whole(u64),
    /// There are several ids, or the id is not an unsigned 64-bit integer.
    Unfit,
}

impl Scan {
    /// Returns the deepest nesting of a JSON text.
    pub(crate) fn depth_of(json: &str) -> usize {
        let mut scan = Self::default();
        scan.push(json.as_bytes());
        scan.deepest
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.in_string {
                self.scan_inside(*byte);
            } else {
                self.scan_outside(*byte);
            }
        }
    }

    /// Returns the number under `id` in the top-level object, if there is exactly one.
    pub(crate) fn id(&self) -> Option<u64> {
        match self.id {
            Number::Whole(id) => Some(id),
            _ => None,
        }
    }

    fn scan_inside(&mut self, byte: u8) {
        if self.escaped {
            self.escaped = false;
            self.key = Key::Other;
        } else if byte == b'"' {
            self.in_string = false;
        } else {
            self.escaped = byte == b'\\';
            self.key = match (self.key, byte) {
                (Key::Empty, b'i') => Key::I,
                (Key::I, b'd') => Key::Id,
                _ => Key::Other,
            };
        }
    }

    fn scan_outside(&mut self, byte: u8) {
        if self.depth == 1 {
            self.number(byte);
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.key = if self.depth == 1 { Key::Empty } else { Key::Other };
            }
            b'{' | b'[' => {
                self.depth = self.depth.saturating_add(1);
                self.deepest = self.deepest.max(self.depth);
                self.key = Key::Other;
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    /// Handles a byte of the top-level object outside strings.
    fn number(&mut self, byte: u8) {
        self.id = match (self.id, byte) {
            (Number::Missing, b':') if self.key == Key::Id => Number::Awaited,
            (Number::Whole(_), b':') if self.key == Key::Id => Number::Unfit,
            (Number::Awaited, b' ' | b'\t') => Number::Awaited,
            (Number::Awaited, b'0'..=b'9') => Number::Growing(u64::from(byte - b'0')),
            (Number::Growing(id), b'0'..=b'9') => id
                .checked_mul(10)
                .and_then(|id| id.checked_add(u64::from(byte - b'0')))
                .map_or(Number::Unfit, Number::Growing),
            (Number::Growing(id), b',' | b'}' | b' ' | b'\t') => Number::Whole(id),
            (Number::Awaited | Number::Growing(_), _) => Number::Unfit,
            (other, _) => other,
        };
        if byte == b',' || byte == b':' {
            self.key = Key::Other;
        }
    }
}

#[cfg(test)]
mod tests;
