//! JSON that is stored as its original text.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A JSON value as text on one line. The order of keys and the spelling of numbers are preserved.
///
/// Line breaks between tokens become spaces, so a record, a message or an event that contains the value stays
/// on one line. Inside a JSON string a line break is always escaped, so values do not change.
///
/// Tool schemas have this type because models write arguments in the order of the schema's properties, and
/// because a request must have identical bytes in every turn for prompt caching.
///
/// ```
/// use windlass_protocol::RawJson;
/// let schema: RawJson = r#"{"type":"object","properties":{"path":{},"content":{}}}"#.parse()?;
/// assert!(schema.as_str().find("path") < schema.as_str().find("content"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Returns the JSON text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Returns the text as `serde_json`'s raw value, which can be embedded in a larger document unchanged.
    pub fn as_raw(&self) -> &RawValue {
        &self.0
    }

    /// Parses the text into a value. The order of keys is lost.
    pub fn to_value(&self) -> serde_json::Value {
        // The text has been validated and is immutable, so parsing cannot fail.
        serde_json::from_str(self.0.get()).unwrap_or_default()
    }
}

impl std::str::FromStr for RawJson {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        on_one_line(RawValue::from_string(text.trim().to_owned())?).map(Self)
    }
}

/// Replaces line breaks, which valid JSON only contains between tokens. Does not allocate without line
/// breaks.
fn on_one_line(raw: Box<RawValue>) -> Result<Box<RawValue>, serde_json::Error> {
    if !raw.get().contains(['\n', '\r']) {
        return Ok(raw);
    }
    RawValue::from_string(String::from(Box::<str>::from(raw)).replace(['\n', '\r'], " "))
}

impl From<&serde_json::Value> for RawJson {
    fn from(value: &serde_json::Value) -> Self {
        RawValue::from_string(value.to_string()).map_or_else(|_| Self::default(), Self)
    }
}

impl Default for RawJson {
    /// Returns JSON `null`.
    fn default() -> Self {
        Self(RawValue::NULL.to_owned())
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for RawJson {}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        on_one_line(Box::<RawValue>::deserialize(deserializer)?).map(Self).map_err(serde::de::Error::custom)
    }
}
