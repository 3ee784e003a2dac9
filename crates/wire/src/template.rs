//! The event before as a template for the next: most events of a stream differ in one text only.

use std::borrow::Cow;

/// Remembers where in an event its one text stands, so that the next event, which is mostly the same bytes around
/// another text, is not parsed as JSON again.
///
/// What is read this way is what a parse would give: every byte outside of the text has to be the same as in the
/// event that was parsed, but for the padding that OpenAI adds in a field `obfuscation` and the number that it gives
/// each event in a field `sequence_number`. At the first difference there is no text, and the event has to be parsed.
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
    /// All up to the text, its opening quote included.
    before: Outside,
    /// All after the text, from its closing quote on.
    after: Outside,
    shape: Option<S>,
}

/// What stands around the text, with the places that no format reads left out.
#[derive(Debug, Default)]
struct Outside {
    /// What comes before each such place, and what the place holds.
    pieces: Vec<(String, Hole)>,
    last: String,
}

/// What a place holds that may differ from event to event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hole {
    /// A text without escapes.
    Padding,
    /// A number without sign and fraction.
    Number,
}

/// The fields with such places: with the one OpenAI hides the lengths of its deltas, with the other it counts events.
/// Inside of a JSON text each quote has a backslash before it, so that these are always fields.
const HOLES: [(&str, Hole); 2] =
    [("\"obfuscation\":\"", Hole::Padding), ("\"sequence_number\":", Hole::Number)];

impl<S> Default for Template<S> {
    fn default() -> Self {
        Self { before: Outside::default(), after: Outside::default(), shape: None }
    }
}

impl<S> Template<S> {
    /// Remembers an event whose one text is `text`, lent out of it, and what the text means. Anything but the text,
    /// padding and event number included, has to mean the same in the next event, or nothing.
    ///
    /// Nothing is remembered where the text is not part of the event.
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

    /// The text of an event that is the same as the one before but for its text, and what it means.
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
                Form::Escaped => Cow::Owned(unescaped(text)?),
            },
        ))
    }
}

impl Outside {
    /// Takes a text apart at its places; none where a place holds what it cannot hold.
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

    /// What follows in an event that has all this.
    fn strip<'e>(&self, event: &'e str) -> Option<&'e str> {
        let mut rest = event;
        for (piece, hole) in &self.pieces {
            rest = hole.strip(rest.strip_prefix(piece.as_str())?)?;
        }
        rest.strip_prefix(self.last.as_str())
    }
}

impl Hole {
    /// What follows what the place holds; what is not plain is taken for part of what has to stay the same.
    fn strip(self, text: &str) -> Option<&str> {
        match self {
            Self::Padding => match text_length(text)? {
                (length, Form::Plain) => text.get(length..),
                (_, Form::Escaped) => None,
            },
            Self::Number => {
                let rest = text.trim_start_matches(|character: char| character.is_ascii_digit());
                // JSON writes no number with a zero before it, and this one ends where its field ends.
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

/// How long the text is up to its closing quote; none where JSON allows no such text.
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
            // Whether what is escaped may be is seen when the text is read.
            [b'\\', escaped, ..] if *escaped >= 0x20 => {
                form = Form::Escaped;
                at = at.saturating_add(2);
            }
            _ => return None,
        }
    }
}

/// A text with escapes as what it says; none where an escape is none.
fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    // Texts are short and escapes dense, so that a search that has to be set up costs more than a plain loop.
    while let Some(at) = rest.bytes().position(|byte| byte == b'\\') {
        plain.push_str(rest.get(..at)?);
        let escape = at.saturating_add(1);
        plain.push(match rest.as_bytes().get(escape)? {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            quoted @ (b'"' | b'\\' | b'/') => char::from(*quoted),
            // The rest is rare, and better known to a parser of JSON.
            _ => return serde_json::from_str(&format!("\"{text}\"")).ok(),
        });
        rest = rest.get(escape.saturating_add(1)..)?;
    }
    plain.push_str(rest);
    Some(plain)
}
