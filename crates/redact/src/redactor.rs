//! The set of registered secrets, and redaction of texts.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};

use crate::automaton::Automaton;
use crate::forms::{self, Form};
use crate::scan::{Needles, Scan};
use crate::{RedactStream, json};

/// Authentication schemes that can precede a key in a header.
const SCHEMES: [&str; 3] = ["Bearer ", "Basic ", "Token "];

/// A set of secrets that are removed from texts. Clones are cheap and independent: values that are registered
/// in one clone are not known to the others.
///
/// ```
/// use windlass_redact::{Redactor, Registration};
/// let mut redactor = Redactor::new(["hunter22".into()]);
/// assert_eq!(redactor.redact("psql postgres://me:hunter22@db"), "psql postgres://me:[redacted]@db");
/// assert_eq!(redactor.register(&"a".into()), Registration::TooShort);
/// assert_eq!(format!("{redactor:?}").contains("hunter22"), false);
/// ```
#[derive(Clone, Default)]
pub struct Redactor {
    known: Arc<KnownSecret>,
}

#[derive(Default)]
struct KnownSecret {
    values: Vec<SecretString>,
    forms: Vec<Form>,
    /// The forms that an encoder may break into lines.
    encodings: Vec<Form>,
    needles: Needles,
}

/// Result of [`Redactor::register`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Registration {
    /// The value was added.
    Added,
    /// The value was already registered.
    Known,
    /// The value is shorter than [`Redactor::SHORTEST`] and would match too often, so it was not added.
    TooShort,
    /// The value is a part of [`Redactor::MARK`] and could not be replaced by it, so it was not added.
    LikeMark,
}

impl Redactor {
    /// Text that replaces a secret.
    pub const MARK: &'static str = "[redacted]";

    /// Minimum length of a value, in bytes. A shorter value would match too often.
    pub const SHORTEST: usize = 6;

    /// Creates a redactor with these values. Values that [`Redactor::register`] refuses are left out.
    pub fn new(values: impl IntoIterator<Item = SecretString>) -> Self {
        let mut redactor = Self::default();
        redactor.extend(values);
        redactor
    }

    /// Registers a value. Removes surrounding white space and the scheme of a header, as in `Bearer KEY`,
    /// first.
    pub fn register(&mut self, value: &SecretString) -> Registration {
        let mut known = self.known.unready();
        let registration = known.add(value);
        if registration == Registration::Added {
            self.known = Arc::new(known.ready());
        }
        registration
    }

    /// Returns a redactor with the values of both.
    ///
    /// ```
    /// use windlass_redact::Redactor;
    /// let both = Redactor::new(["hunter22".into()]).merge(&Redactor::new(["swordfish".into()]));
    /// assert_eq!(both.redact("hunter22 swordfish"), "[redacted] [redacted]");
    /// ```
    pub fn merge(&self, other: &Self) -> Self {
        let mut both = self.clone();
        for value in &other.known.values {
            both.register(value);
        }
        both
    }

    /// Returns true if no value is registered.
    pub fn is_empty(&self) -> bool {
        self.known.forms.is_empty()
    }

    /// Replaces each secret in a text with [`Redactor::MARK`]. Overlapping occurrences are removed
    /// completely.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.redact_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            // Forms are UTF-8, so they start and end at character boundaries.
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// Like [`Redactor::redact`], for bytes that need not be UTF-8.
    pub fn redact_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if !self.is_in(bytes) {
            return Cow::Borrowed(bytes);
        }
        let mut stream = self.stream();
        let mut clean = stream.push(bytes);
        clean.extend(stream.finish());
        Cow::Owned(clean)
    }

    /// Like [`Redactor::redact`], but keeps all line breaks: a secret of several lines leaves a mark in each
    /// line. For texts with line numbers.
    ///
    /// ```
    /// use windlass_redact::Redactor;
    /// let redactor = Redactor::new(["first line\nand second".into()]);
    /// assert_eq!(redactor.redact_lines("a first line\nand second b"), "a [redacted]\n[redacted] b");
    /// ```
    pub fn redact_lines<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !self.is_in(text.as_bytes()) {
            return Cow::Borrowed(text);
        }
        let mut stream = self.stream_lines();
        let mut clean = stream.push(text.as_bytes());
        clean.extend(stream.finish());
        Cow::Owned(String::from_utf8_lossy(&clean).into_owned())
    }

    /// Redacts the strings, keys included, and numbers of a JSON text, which stays valid JSON. Text that is
    /// not JSON is redacted as plain text.
    pub fn redact_json<'a>(&self, text: &'a str) -> Cow<'a, str> {
        json::redact(self, text)
    }

    /// Redacts a JSON value in place.
    pub fn redact_value(&self, value: &mut serde_json::Value) {
        json::redact_value(self, value);
    }

    /// Returns true if the text contains a secret.
    pub fn contains_secret(&self, text: &str) -> bool {
        self.is_in(text.as_bytes())
    }

    /// Returns true if a JSON text contains a secret, either in the raw text or in the unescaped strings.
    pub fn contains_secret_in_json(&self, text: &str) -> bool {
        self.contains_secret(text) || matches!(self.redact_json(text), Cow::Owned(_))
    }

    /// Returns a redactor for a byte stream.
    pub fn stream(&self) -> RedactStream {
        RedactStream::new(self.clone())
    }

    /// Like [`Redactor::stream`], but keeps all line breaks, as [`Redactor::redact_lines`] does.
    pub fn stream_lines(&self) -> RedactStream {
        RedactStream::new(self.clone()).with_lines()
    }

    pub(crate) fn needles(&self) -> &Needles {
        &self.known.needles
    }

    fn is_in(&self, bytes: &[u8]) -> bool {
        if self.is_empty() {
            return false;
        }
        let mut scan = Scan::default();
        bytes.iter().enumerate().any(|(at, &byte)| {
            scan.read(self.needles(), bytes.get(..at).unwrap_or_default(), byte, at as u64);
            scan.has_found()
        })
    }
}

/// Registers several values at once, which is faster than one at a time. Values that [`Redactor::register`]
/// refuses are left out.
impl Extend<SecretString> for Redactor {
    fn extend<T: IntoIterator<Item = SecretString>>(&mut self, values: T) {
        let mut known = self.known.unready();
        for value in values {
            known.add(&value);
        }
        self.known = Arc::new(known.ready());
    }
}

impl KnownSecret {
    fn unready(&self) -> Self {
        let (forms, encodings) = (self.forms.clone(), self.encodings.clone());
        Self { values: self.values.clone(), forms, encodings, needles: Needles::default() }
    }

    fn add(&mut self, value: &SecretString) -> Registration {
        let value = bare(value.expose_secret());
        if value.len() < Redactor::SHORTEST {
            return Registration::TooShort;
        }
        if Redactor::MARK.contains(value) {
            return Registration::LikeMark;
        }
        if self.values.iter().any(|known| known.expose_secret() == value) {
            return Registration::Known;
        }
        self.values.push(value.to_owned().into());
        for form in forms::forms_of_value(value) {
            if !Redactor::MARK.contains(form.as_str()) {
                self.forms.push(form);
            }
        }
        let encodings = forms::encodings(value).into_iter();
        self.encodings.extend(encodings.filter(|form| !Redactor::MARK.contains(form.as_str())));
        Registration::Added
    }

    fn ready(mut self) -> Self {
        let automaton = |forms: &[Form]| Automaton::new(forms.iter().map(|form| form.as_bytes()));
        self.needles = Needles { whole: automaton(&self.forms), encodings: automaton(&self.encodings) };
        self
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor")
            .field("values", &self.known.values.len())
            .field("forms", &self.known.forms.len())
            .finish()
    }
}

/// Returns the value without white space and scheme.
fn bare(value: &str) -> &str {
    let value = value.trim();
    let scheme = SCHEMES
        .iter()
        .find(|scheme| value.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme)));
    scheme.and_then(|scheme| value.get(scheme.len()..)).map_or(value, str::trim_start)
}
