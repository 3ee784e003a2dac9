//! One pass over JSON bytes that keeps nothing: how deep they go, and which id stands at the top.

/// What is noticed of JSON while it streams past. It checks nothing: what is no JSON gives some depth and some id, and
/// whoever asks trusts neither further than a refusal or a look-up.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    depth: usize,
    deepest: usize,
    in_string: bool,
    escaped: bool,
    /// The last string of the top object, as far as it can still be `id`.
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
    /// There are two, or it is no number that was ever given out.
    Unfit,
}

impl Scan {
    /// How deep a whole text goes.
    pub(crate) fn depth_of(json: &str) -> usize {
        let mut scan = Self::default();
        scan.push(json.as_bytes());
        scan.deepest
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.in_string {
                self.inside(*byte);
            } else {
                self.outside(*byte);
            }
        }
    }

    /// The number under `id` in the top object, if there is exactly one.
    pub(crate) fn id(&self) -> Option<u64> {
        match self.id {
            Number::Whole(id) => Some(id),
            _ => None,
        }
    }

    fn inside(&mut self, byte: u8) {
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

    fn outside(&mut self, byte: u8) {
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

    /// A byte of the top object that is in no string.
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
