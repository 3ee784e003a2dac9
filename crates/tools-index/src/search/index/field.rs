//! The searched fields of a chunk.

/// A searched field. The order is that of the keys in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// Names of the symbols in the chunk.
    Title,
    /// Path of the file.
    Path,
    /// Text of the lines.
    Body,
}

impl Field {
    pub(crate) const ALL: [Self; 3] = [Self::Title, Self::Path, Self::Body];

    /// Returns the position of the field in arrays with one value for each field.
    pub(crate) fn position(self) -> usize {
        match self {
            Self::Title => 0,
            Self::Path => 1,
            Self::Body => 2,
        }
    }

    /// Returns the key of a word in this field.
    pub(super) fn key(self, word: &str, key: &mut Vec<u8>) {
        key.clear();
        key.push(match self {
            Self::Title => b'a',
            Self::Path => b'b',
            Self::Body => b'c',
        });
        key.extend_from_slice(word.as_bytes());
    }
}
