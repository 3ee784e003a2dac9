//! Field-by-field reading of an object in a client's request; unread fields are kept.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::RequestError;

/// The fields of an object in a request, together with the object's place in the request.
///
/// Reading a field removes it; `null` counts as absent. Unread fields remain in [`rest`](Self::rest) under
/// their names. Values are parsed from their original text, so a schema keeps its key order.
///
/// ```
/// use windlass_wire::Fields;
/// let mut fields = Fields::parse("messages[2]", r#"{"role":"user","name":"ann","n":null}"#)?;
/// assert_eq!(fields.text("role")?.as_deref(), Some("user"));
/// assert_eq!(fields.count("n")?, None);
/// assert_eq!(serde_json::Value::Object(fields.rest()), serde_json::json!({ "name": "ann" }));
/// let error = Fields::parse("messages[2]", r#"{"role":7}"#)?.text("role").unwrap_err();
/// assert_eq!(error.to_string(), "messages[2].role: a text is wanted");
/// # Ok::<(), windlass_wire::RequestError>(())
/// ```
#[derive(Debug)]
pub struct Fields<'a> {
    place: String,
    members: BTreeMap<String, &'a RawValue>,
}

impl<'a> Fields<'a> {
    /// Parses the text of an object. The place of the request's body is the empty string.
    ///
    /// # Errors
    /// Returns an error if the text is not an object.
    pub fn parse(place: impl Into<String>, text: &'a str) -> Result<Self, RequestError> {
        let place = place.into();
        match serde_json::from_str::<BTreeMap<String, &RawValue>>(text) {
            Ok(mut members) => {
                members.retain(|_, value| value.get() != "null");
                Ok(Self { place, members })
            }
            Err(error) if error.is_data() => Err(RequestError::shape(place, "expected an object")),
            Err(error) => Err(RequestError::Json(error)),
        }
    }

    /// Renames the fields, for an API that accepts two spellings of each name.
    pub fn rename_fields(mut self, name: impl Fn(&str) -> String) -> Self {
        self.members = self.members.into_iter().map(|(known, value)| (name(&known), value)).collect();
        self
    }

    /// Returns the place of a field, such as `messages[2].content`.
    pub fn place(&self, name: &str) -> String {
        match (self.place.as_str(), name) {
            ("", name) => name.to_owned(),
            (place, "") => place.to_owned(),
            (place, name) => format!("{place}.{name}"),
        }
    }

    /// Creates the error of a field with an unexpected value.
    pub fn wrong(&self, name: &str, what: impl Into<String>) -> RequestError {
        RequestError::shape(self.place(name), what)
    }

    /// Returns whether a field is present.
    pub fn has(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }

    /// Returns the text of a field without removing it.
    pub fn peek(&self, name: &str) -> Option<&'a RawValue> {
        self.members.get(name).copied()
    }

    /// Removes a field and returns its text.
    pub fn raw(&mut self, name: &str) -> Option<&'a RawValue> {
        self.members.remove(name)
    }

    /// Removes a field and returns it as a JSON value.
    ///
    /// # Errors
    /// Returns an error if the value is nested too deeply.
    pub fn value(&mut self, name: &str) -> Result<Option<Value>, RequestError> {
        self.read(name, "expected a value of at most 128 levels")
    }

    /// Removes a field and returns it as a string.
    ///
    /// # Errors
    /// Returns an error if the value is not a string.
    pub fn text(&mut self, name: &str) -> Result<Option<String>, RequestError> {
        self.read(name, "expected a text")
    }

    /// Removes a required field and returns it as a string.
    ///
    /// # Errors
    /// Returns an error if the field is missing or not a string.
    pub fn take_required_text(&mut self, name: &str) -> Result<String, RequestError> {
        self.text(name)?.ok_or_else(|| self.wrong(name, "expected a text"))
    }

    /// Removes a field and returns it as a boolean.
    ///
    /// # Errors
    /// Returns an error if the value is not a boolean.
    pub fn flag(&mut self, name: &str) -> Result<Option<bool>, RequestError> {
        self.read(name, "expected true or false")
    }

    /// Removes a field and returns it as an unsigned integer.
    ///
    /// # Errors
    /// Returns an error if the value is not an integer from 0 to 2^64 - 1.
    pub fn count(&mut self, name: &str) -> Result<Option<u64>, RequestError> {
        self.read(name, "expected a whole number")
    }

    /// Removes a field and returns it as a number.
    ///
    /// # Errors
    /// Returns an error if the value is not a number.
    pub fn number(&mut self, name: &str) -> Result<Option<f64>, RequestError> {
        self.read(name, "expected a number")
    }

    /// Removes a field and returns the items of its list as texts, each with its place.
    ///
    /// # Errors
    /// Returns an error if the value is not a list.
    pub fn list(&mut self, name: &str) -> Result<Option<Vec<(String, &'a RawValue)>>, RequestError> {
        let place = self.place(name);
        let Some(raw) = self.raw(name) else { return Ok(None) };
        let items: Vec<&RawValue> =
            serde_json::from_str(raw.get()).map_err(|_| RequestError::shape(&place, "expected a list"))?;
        let items = items.into_iter().enumerate();
        Ok(Some(items.map(|(position, item)| (format!("{place}[{position}]"), item)).collect()))
    }

    /// Removes a field and returns it as an object.
    ///
    /// # Errors
    /// Returns an error if the value is not an object.
    pub fn object(&mut self, name: &str) -> Result<Option<Self>, RequestError> {
        let place = self.place(name);
        self.raw(name).map(|raw| Fields::parse(place, raw.get())).transpose()
    }

    /// Returns the fields that have not been read. A value that is nested too deeply is left out.
    pub fn rest(self) -> Map<String, Value> {
        let read = |(name, raw): (String, &RawValue)| Some((name, serde_json::from_str(raw.get()).ok()?));
        self.members.into_iter().filter_map(read).collect()
    }

    fn read<T: DeserializeOwned>(&mut self, name: &str, what: &str) -> Result<Option<T>, RequestError> {
        let Some(raw) = self.raw(name) else { return Ok(None) };
        serde_json::from_str(raw.get()).map(Some).map_err(|_| self.wrong(name, what))
    }
}
