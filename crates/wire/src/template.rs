//! A fast path for events that differ from an earlier event only in one text.

use std::borrow::Cow;

/// A learned event with the position of its text. The next event usually has the same bytes around another
/// text and is then read without parsing JSON.
///
/// The result is identical to that of a parser: every byte outside the text must be equal to the learned
/// event, except for OpenAI's padding in the field `obfuscation` and its counter in the field
/// `sequence_number`. Any other difference results in `None`, and the event must be parsed.
///
/// ```
/// use windlass_wire::Template;
///
/// let event = r#"{"index":0,"delta":{"text":"Hel"},"obfuscation":"a8"}"#;
/// let text = &event[28..31];
/// let mut template = Template::default();
/// template.learn(event, text, "text of block 0");
/// let next = template.read(r#"{"index":0,"delta":{"text":"lo\n"},"obfuscation":"x"}"#);
/// assert_eq!(next, Some((&"text of block 0", "lo\n".into())));
/// assert_eq!(template.read(r#"{"index":1,"delta":{"text":"lo"},"obfuscation":"x"}"#), None);
/// ```
#[derive(Debug)]
pub struct Template<S> {
    /// Everything before the text, including its opening quote.
    before: OuterBytes,
    /// Everything after the text, beginning with its closing quote.
    after: OuterBytes,
    shape: Option<S>,
}

/// The bytes around the text, split at values that no format reads.
#[derive(Debug, Default)]
struct OuterBytes {
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

impl<S> Default for Template<S> {
    fn default() -> Self {
        Self { before: OuterBytes::default(), after: OuterBytes::default(), shape: None }
    }
}

impl<S> Template<S> {
    /// Learns an event whose one text is `text`, a slice of `event`, together with its meaning `shape`. The
    /// caller guarantees that the bytes outside of the text have the same meaning in the next event, and that
    /// padding and event numbers do not matter.
    ///
    /// Stores nothing if `text` is not a slice of the event between quotes.
    pub fn learn(&mut self, event: &str, text: &str, shape: S) {
        self.shape = None;
        let Some(start) = text.as_ptr().addr().checked_sub(event.as_ptr().addr()) else { return };
        let end = start.saturating_add(text.len());
        let (Some(before), Some(after)) = (event.get(..start), event.get(end..)) else { return };
        if !before.ends_with('"') || !after.starts_with('"') {
            return;
        }
        if self.before.learn(before).is_some() && self.after.learn(after).is_some() {
            self.shape = Some(shape);
        }
    }

    /// Returns the unescaped text and the shape if the event equals the learned event except for the text.
    pub fn read<'e>(&self, event: &'e str) -> Option<(&S, Cow<'e, str>)> {
        let shape = self.shape.as_ref()?;
        let rest = self.before.strip(event)?;
        let (length, form) = text_length(rest)?;
        if !self.after.strip(rest.get(length..)?)?.is_empty() {
            return None;
        }
        let text = rest.get(..length)?;
        Some((
            shape,
            match form {
                Form::Plain => Cow::Borrowed(text),
                Form::Escaped => Cow::Owned(unescape(text)?),
            },
        ))
    }
}

impl OuterBytes {
    /// Splits a text at the ignored values. Returns `None` if such a field has a value of another kind.
    fn learn(&mut self, text: &str) -> Option<()> {
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
    fn strip<'e>(&self, event: &'e str) -> Option<&'e str> {
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

enum Form {
    Plain,
    Escaped,
}

/// Returns the length of a string up to its closing quote, or `None` if the string is not valid JSON.
#[inline]
fn text_length(text: &str) -> Option<(usize, Form)> {
    let bytes = text.as_bytes();
    let mut form = Form::Plain;
    let mut at = 0usize;
    loop {
        let rest = bytes.get(at..)?;
        at = at.saturating_add(rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?);
        match bytes.get(at..)? {
            [b'"', ..] => return Some((at, form)),
            // Invalid escapes are detected when the text is unescaped.
            [b'\\', escaped, ..] if *escaped >= 0x20 => {
                form = Form::Escaped;
                at = at.saturating_add(2);
            }
            _ => return None,
        }
    }
}

/// Returns the unescaped text, or `None` for an invalid escape.
fn unescape(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    // Texts are short and often contain escapes, so the setup cost of memchr would exceed a plain loop.
    while let Some(at) = rest.bytes().position(|byte| byte == b'\\') {
        plain.push_str(rest.get(..at)?);
        let escape = at.saturating_add(1);
        plain.push(match rest.as_bytes().get(escape)? {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            quoted @ (b'"' | b'\\' | b'/') => char::from(*quoted),
            // Leave the rare escapes to the JSON parser.
            _ => return serde_json::from_str(&format!("\"{text}\"")).ok(),
        });
        rest = rest.get(escape.saturating_add(1)..)?;
    }
    plain.push_str(rest);
    Some(plain)
}
