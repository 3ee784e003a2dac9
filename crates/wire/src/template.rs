//! A fast path for events that differ from an earlier event only in one text.

use std::borrow::Cow;

use crate::json_text::{Form, text_length, unescape};
use crate::outer_bytes::OuterBytes;

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
