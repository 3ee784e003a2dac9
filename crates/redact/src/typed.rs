//! Redaction of values whose type must survive it.
//!
//! A secret can equal a part of the form of a value: a field name, the name of an enum variant, or a number that
//! counts something. Without such a part, the JSON of the value cannot be read back. The form is public, so these
//! parts stay, and every other occurrence of a secret is removed.

use std::collections::BTreeMap;

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use serde_json::Value;

use crate::Redactor;
use crate::places::{Place, find_places};

/// Replacement of the places of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Replacement {
    /// The secret becomes [`Redactor::MARK`]; a number becomes that text.
    Mark,
    /// The secret becomes the mark without brackets, for names that allow only letters.
    Word,
}

impl Redactor {
    /// Redacts the strings, keys and numbers of a value that is serialized as JSON, and returns a value of the
    /// same type. Returns `None` if the value contains no secret.
    ///
    /// Unlike [`Redactor::redact_json`], it keeps a secret that equals a part of the type itself: a field name, the
    /// name of a variant, or a number in a field that takes only numbers. If brackets are invalid in a name, it gets
    /// the mark without brackets. Takes one pass over the JSON if every secret can be replaced, and logarithmically
    /// many passes for each part of the type that equals a secret.
    ///
    /// ```
    /// use windlass_redact::Redactor;
    /// let redactor = Redactor::new(["123456".into()]);
    /// // The first field counts something and takes only numbers.
    /// let value = (123_456_u64, "the pin is 123456".to_owned());
    /// let clean = (123_456_u64, "the pin is [redacted]".to_owned());
    /// assert_eq!(redactor.redact_typed(&value)?, Some(clean));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the value contains a secret and cannot be written as JSON and read back, for example because it is
    /// nested too deeply.
    pub fn redact_typed<T: Serialize + DeserializeOwned>(
        &self,
        value: &T,
    ) -> Result<Option<T>, serde_json::Error> {
        if self.is_empty() {
            return Ok(None);
        }
        let text = serde_json::to_string(value)?;
        let places = find_places(self, &text);
        if places.is_empty() {
            return Ok(None);
        }
        let mut search = Search::<T>::new(&text, places)?;
        let classes = search.choices.len();
        // Most values keep their type when every secret is replaced. Otherwise the search splits the classes
        // until it has found those that belong to the form.
        search.extend(0, classes, Replacement::Mark);
        search.extend(0, classes, Replacement::Word);
        Ok(Some(search.result))
    }

    /// Serializes a value as JSON without secrets. The JSON can be read as the same type again, see
    /// [`Redactor::redact_typed`]. If the value itself cannot be read back, the result is that of
    /// [`Redactor::redact_json`].
    ///
    /// # Errors
    /// If the value cannot be written as JSON.
    pub fn to_redacted_json<T: Serialize + DeserializeOwned>(
        &self,
        value: &T,
    ) -> Result<String, serde_json::Error> {
        match self.redact_typed(value) {
            Ok(clean) => serde_json::to_string(clean.as_ref().unwrap_or(value)),
            Err(_) => serde_json::to_string(value).map(|text| self.redact_json(&text).into_owned()),
        }
    }
}

/// Search for the largest set of places whose replacement keeps the type of the value.
struct Search<'t, T> {
    text: &'t str,
    /// The places, each with the number of its class. Places of equal kind, path and text are one class, so a
    /// field name that occurs in each element of a long list is examined a few times only.
    places: Vec<(Place, usize)>,
    /// The replacement of each class; `None` if its places stay.
    choices: Vec<Option<Replacement>>,
    /// True if the value equals its own JSON before redaction, so that a lost field can be noticed.
    is_exact: bool,
    /// The value after the replacements in `choices`.
    result: T,
}

impl<'t, T: Serialize + DeserializeOwned> Search<'t, T> {
    fn new(text: &'t str, places: Vec<Place>) -> Result<Self, serde_json::Error> {
        let mut numbers = BTreeMap::new();
        let mut classed = Vec::with_capacity(places.len());
        for place in places {
            let literal = text.get(place.range.clone()).unwrap_or_default().to_owned();
            let next = numbers.len();
            let class = *numbers.entry((place.kind, place.path.clone(), literal)).or_insert(next);
            classed.push((place, class));
        }
        let value: T = serde_json::from_str(text)?;
        let is_exact = is_equal(&value, text);
        let choices = vec![None; numbers.len()];
        Ok(Self { text, places: classed, choices, is_exact, result: value })
    }

    /// Adds a replacement to the classes in a range that have none, except for those that change the type.
    fn extend(&mut self, from: usize, to: usize, replacement: Replacement) {
        let open: Vec<usize> = (from..to).filter(|class| self.choices.get(*class) == Some(&None)).collect();
        if open.is_empty() {
            return;
        }
        self.choose(&open, Some(replacement));
        if let Some(value) = self.parse() {
            self.result = value;
            return;
        }
        self.choose(&open, None);
        if open.len() > 1 {
            let middle = from.midpoint(to);
            self.extend(from, middle, replacement);
            self.extend(middle, to, replacement);
        }
    }

    fn choose(&mut self, classes: &[usize], choice: Option<Replacement>) {
        for class in classes {
            if let Some(place) = self.choices.get_mut(*class) {
                *place = choice;
            }
        }
    }

    /// Returns the value with the present choices, or `None` if it does not have the type or lost a field.
    fn parse(&self) -> Option<T> {
        let clean = self.replace();
        let value: T = serde_json::from_str(&clean).ok()?;
        (!self.is_exact || is_equal(&value, &clean)).then_some(value)
    }

    fn replace(&self) -> String {
        let mut clean = String::with_capacity(self.text.len());
        let mut done = 0_usize;
        for (place, class) in &self.places {
            let Some(Some(choice)) = self.choices.get(*class) else { continue };
            clean.push_str(self.text.get(done..place.range.start).unwrap_or_default());
            let text = match choice {
                Replacement::Mark => place.clean.clone(),
                Replacement::Word => place.clean.replace(Redactor::MARK, WORD),
            };
            clean.push_str(&Value::String(text).to_string());
            done = place.range.end;
        }
        clean.push_str(self.text.get(done..).unwrap_or_default());
        clean
    }
}

/// The mark without its brackets.
const WORD: &str = "redacted";

/// Returns whether a value equals its JSON. A field that the type does not know is lost when it is read.
fn is_equal<T: Serialize>(value: &T, text: &str) -> bool {
    let (written, read) = (serde_json::to_value(value).ok(), serde_json::from_str::<Value>(text).ok());
    written.is_some() && written == read
}
