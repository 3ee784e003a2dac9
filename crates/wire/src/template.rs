//! The event before as a template for the next: most events of a stream differ in one text only.

use std::borrow::Cow;

/// Remembers where in an event its one text stands, so that the next event, which is mostly the same bytes around
/// another text, is not parsed as JSON again.
///
/// What is read this way is what a parse would give: every byte outside of the text has to be the same as in the
/// event that was parsed, but for the padding that OpenAI adds in a field `obfuscation`. At the first difference
/// there is no text, and the event has to be parsed.
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
    before: String,
    /// All after the text, from its closing quote on; up to the padding if there is one.
    after: String,
    /// All after the padding, from its closing quote on.
    after_padding: Option<String>,
    shape: Option<S>,
}

/// The field with which OpenAI hides the lengths of its deltas. No format reads it.
const PADDING: &str = "\"obfuscation\":\"";

impl<S> Default for Template<S> {
    fn default() -> Self {
        Self { before: String::new(), after: String::new(), after_padding: None, shape: None }
    }
}

impl<S> Template<S> {
    /// Remembers an event whose one text is `text`, lent out of it, and what the text means. Anything but the text,
    /// padding included, has to mean the same in the next event, or nothing.
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
        self.before.clear();
        self.before.push_str(before);
        self.after.clear();
        self.after_padding = None;
        let padding =
            after.find(PADDING).and_then(|at| after.split_at_checked(at.saturating_add(PADDING.len())));
        match padding {
            Some((after, padding)) => {
                // What is not plain is taken for part of what has to stay the same.
                let Some((_, rest)) = plain_text(padding) else { return };
                self.after.push_str(after);
                self.after_padding = Some(rest.to_owned());
            }
            None => self.after.push_str(after),
        }
        self.shape = Some(shape);
    }

    /// The text of an event that is the same as the one before but for its text, and what it means.
    pub fn read<'e>(&self, event: &'e str) -> Option<(&S, Cow<'e, str>)> {
        let shape = self.shape.as_ref()?;
        let rest = event.strip_prefix(self.before.as_str())?;
        let (length, form) = text_length(rest)?;
        let after = rest.get(length..)?;
        match &self.after_padding {
            None if after == self.after => {}
            Some(last) if plain_text(after.strip_prefix(self.after.as_str())?)?.1 == last => {}
            _ => return None,
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

/// A text without escapes, and what follows from its closing quote on.
fn plain_text(text: &str) -> Option<(&str, &str)> {
    match text_length(text)? {
        (length, Form::Plain) => text.split_at_checked(length),
        (_, Form::Escaped) => None,
    }
}
