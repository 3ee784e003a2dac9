//! The bytes around the text of a [`Template`](crate::Template), without the values that no format reads.

use crate::json_text::{Form, text_length};

/// The bytes around the text, split at values that no format reads.
#[derive(Debug, Default)]
pub(crate) struct OuterBytes {
    /// The bytes before each ignored value, and the kind of the value.
    pieces: Vec<(String, Hole)>,
    last: String,
}

/// The kind of an ignored value, which may differ between events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hole {
    /// A string without escapes.
    Padding,
    /// An unsigned integer.
    Number,
}

/// The fields with ignored values: OpenAI hides the length of its deltas with `obfuscation` and counts events
/// with `sequence_number`. Inside a JSON string each quote is escaped, so these patterns only match fields.
const HOLES: [(&str, Hole); 2] =
    [("\"obfuscation\":\"", Hole::Padding), ("\"sequence_number\":", Hole::Number)];

impl OuterBytes {
    /// Splits a text at the ignored values. Returns `None` if such a field has a value of another kind.
    pub(crate) fn learn(&mut self, text: &str) -> Option<()> {
        self.pieces.clear();
        let mut rest = text;
        let next = |rest: &str| {
            let found = HOLES
                .iter()
                .filter_map(|(field, hole)| Some((rest.find(field)?.saturating_add(field.len()), *hole)));
            found.min_by_key(|(end, _)| *end)
        };
        while let Some((end, hole)) = next(rest) {
            let (piece, after) = rest.split_at_checked(end)?;
            rest = hole.strip(after)?;
            self.pieces.push((piece.to_owned(), hole));
        }
        self.last.clear();
        self.last.push_str(rest);
        Some(())
    }

    /// Returns the rest of `event` after the learned bytes, or `None` if it differs.
    #[inline]
    pub(crate) fn strip<'e>(&self, event: &'e str) -> Option<&'e str> {
        let mut rest = event;
        for (piece, hole) in &self.pieces {
            rest = hole.strip(rest.strip_prefix(piece.as_str())?)?;
        }
        rest.strip_prefix(self.last.as_str())
    }
}

impl Hole {
    /// Returns the rest after the ignored value, or `None` if the value is not plain.
    fn strip(self, text: &str) -> Option<&str> {
        match self {
            Self::Padding => match text_length(text)? {
                (length, Form::Plain) => text.get(length..),
                (_, Form::Escaped) => None,
            },
            Self::Number => {
                let rest = text.trim_start_matches(|character: char| character.is_ascii_digit());
                // JSON numbers have no leading zeros, and the value must end at its field's end.
                let is_number = text.len() > rest.len()
                    && (!text.starts_with('0') || text.len() == rest.len().saturating_add(1));
                (is_number && rest.starts_with([',', '}'])).then_some(rest)
            }
        }
    }
}
