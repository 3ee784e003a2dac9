//! The fields of an object in a client's request, taken one by one, so that what is left over can be kept.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::RequestError;

/// The fields of an object in a request, with the place where it stands.
///
/// A field is taken once, as what it has to be; `null` is no field. What nobody took is the rest, which goes back
/// under its own name. Values are read from their own text, so that a schema keeps its order.
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
    /// The fields of an object's text. The place of a request's body is empty.
    ///
    /// # Errors
    /// If the text is no object.
    pub fn parse(place: impl Into<String>, text: &'a str) -> Result<Self, RequestError> {
        let place = place.into();
        match serde_json::from_str::<BTreeMap<String, &RawValue>>(text) {
            Ok(mut members) => {
                members.retain(|_, value| value.get() != "null");
                Ok(Self { place, members })
            }
            Err(error) if error.is_data() => Err(RequestError::shape(place, "an object is wanted")),
            Err(error) => Err(RequestError::Json(error)),
        }
    }

    /// The same fields by other names, for an API that takes two spellings of each.
    pub fn renamed(mut self, name: impl Fn(&str) -> String) -> Self {
        self.members = self.members.into_iter().map(|(known, value)| (name(&known), value)).collect();
        self
    }

    /// The place of a field, as `messages[2].content`.
    pub fn place(&self, name: &str) -> String {
        match (self.place.as_str(), name) {
            ("", name) => name.to_owned(),
            (place, "") => place.to_owned(),
            (place, name) => format!("{place}.{name}"),
        }
    }

    /// A value that is not what it has to be.
    pub fn wrong(&self, name: &str, what: impl Into<String>) -> RequestError {
        RequestError::shape(self.place(name), what)
    }

    /// Whether a field is there.
    pub fn has(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }

    /// A field's own text, which stays.
    pub fn peek(&self, name: &str) -> Option<&'a RawValue> {
        self.members.get(name).copied()
    }

    /// A field's own text.
    pub fn raw(&mut self, name: &str) -> Option<&'a RawValue> {
        self.members.remove(name)
    }

    /// A field as any value.
    ///
    /// # Errors
    /// If it is nested too deep.
    pub fn value(&mut self, name: &str) -> Result<Option<Value>, RequestError> {
        self.read(name, "a value of at most 128 levels is wanted")
    }

    /// A field that is a text.
    ///
    /// # Errors
    /// If it is something else.
    pub fn text(&mut self, name: &str) -> Result<Option<String>, RequestError> {
        self.read(name, "a text is wanted")
    }

    /// A field that has to be there as a text.
    ///
    /// # Errors
    /// If it is missing or something else.
    pub fn required_text(&mut self, name: &str) -> Result<String, RequestError> {
        self.text(name)?.ok_or_else(|| self.wrong(name, "a text is wanted"))
    }

    /// A field that is true or false.
    ///
    /// # Errors
    /// If it is something else.
    pub fn flag(&mut self, name: &str) -> Result<Option<bool>, RequestError> {
        self.read(name, "true or false is wanted")
    }

    /// A field that is a whole number.
    ///
    /// # Errors
    /// If it is something else.
    pub fn count(&mut self, name: &str) -> Result<Option<u64>, RequestError> {
        self.read(name, "a whole number is wanted")
    }

    /// A field that is a number.
    ///
    /// # Errors
    /// If it is something else.
    pub fn number(&mut self, name: &str) -> Result<Option<f64>, RequestError> {
        self.read(name, "a number is wanted")
    }

    /// A field that is a list; its items as their own texts, each with its place.
    ///
    /// # Errors
    /// If it is something else.
    pub fn list(&mut self, name: &str) -> Result<Option<Vec<(String, &'a RawValue)>>, RequestError> {
        let place = self.place(name);
        let Some(raw) = self.raw(name) else { return Ok(None) };
        let items: Vec<&RawValue> =
            serde_json::from_str(raw.get()).map_err(|_| RequestError::shape(&place, "a list is wanted"))?;
        let items = items.into_iter().enumerate();
        Ok(Some(items.map(|(position, item)| (format!("{place}[{position}]"), item)).collect()))
    }

    /// A field that is an object.
    ///
    /// # Errors
    /// If it is something else.
    pub fn object(&mut self, name: &str) -> Result<Option<Self>, RequestError> {
        let place = self.place(name);
        self.raw(name).map(|raw| Fields::parse(place, raw.get())).transpose()
    }

    /// What nobody took.
    pub fn rest(self) -> Map<String, Value> {
        let read = |(name, raw): (String, &RawValue)| Some((name, serde_json::from_str(raw.get()).ok()?));
        self.members.into_iter().filter_map(read).collect()
    }

    fn read<T: DeserializeOwned>(&mut self, name: &str, what: &str) -> Result<Option<T>, RequestError> {
        let Some(raw) = self.raw(name) else { return Ok(None) };
        serde_json::from_str(raw.get()).map(Some).map_err(|_| self.wrong(name, what))
    }
}
