//! The fields of a JSON object, taken out one by one; what is left has no word here.

use serde_json::{Map, Value};
use windlass_wire::RequestError;

/// The fields of an object that are still to be read. `null` is no value.
pub(crate) struct Fields {
    place: String,
    fields: Map<String, Value>,
}

impl Fields {
    /// The fields of the object at this place of the request; the request itself stands at no place.
    pub(crate) fn new(place: impl Into<String>, value: Value) -> Result<Self, RequestError> {
        let place = place.into();
        match value {
            Value::Object(mut fields) => {
                fields.retain(|_, value| !value.is_null());
                Ok(Self { place, fields })
            }
            other => {
                let place = if place.is_empty() { "the body".to_owned() } else { place };
                Err(RequestError::shape(place, format!("{} where an object is wanted", kind(&other))))
            }
        }
    }

    /// The place of one of the fields.
    pub(crate) fn place(&self, name: &str) -> String {
        if self.place.is_empty() { name.to_owned() } else { format!("{}.{name}", self.place) }
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        self.fields.remove(name)
    }

    pub(crate) fn peek(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, RequestError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(name, &other, "a text")),
        }
    }

    /// A text that has to be there.
    pub(crate) fn needed(&mut self, name: &str) -> Result<String, RequestError> {
        self.text(name)?
            .ok_or_else(|| RequestError::shape(self.place(name), "it is missing, a text is wanted"))
    }

    pub(crate) fn flag(&mut self, name: &str) -> Result<Option<bool>, RequestError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(self.wrong(name, &other, "true or false")),
        }
    }

    pub(crate) fn number(&mut self, name: &str) -> Result<Option<f64>, RequestError> {
        match self.take(name) {
            None => Ok(None),
            Some(value) => match value.as_f64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(name, &value, "a number")),
            },
        }
    }

    /// A whole number, also where it is written with a fraction of nothing.
    pub(crate) fn count(&mut self, name: &str) -> Result<Option<u64>, RequestError> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let whole = value.as_u64().or_else(|| format!("{:.0}", value.as_f64()?).parse().ok());
        match whole {
            Some(count) => Ok(Some(count)),
            None => Err(self.wrong(name, &value, "a whole number")),
        }
    }

    pub(crate) fn list(&mut self, name: &str) -> Result<Vec<Value>, RequestError> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => Ok(items),
            Some(other) => Err(self.wrong(name, &other, "a list")),
        }
    }

    /// What was not taken.
    pub(crate) fn rest(self) -> Map<String, Value> {
        self.fields
    }

    pub(crate) fn wrong(&self, name: &str, met: &Value, wanted: &str) -> RequestError {
        RequestError::shape(self.place(name), format!("{} where {wanted} is wanted", kind(met)))
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
