//! The finished arguments of a call.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The complete arguments of a call: a JSON object and the very text in which the model wrote it.
///
/// This is the type for running. What is known while arguments still arrive is another type, in
/// `windlass-partial-json`, and nothing converts it into this one (RULES J1). In serde it is the text, as a
/// JSON string, so that spelling and order survive any format.
///
/// ```
/// use windlass_protocol::Arguments;
/// let arguments = Arguments::parse(r#"{"path": "src/lib.rs", "big": 12345678901234567890123}"#)?;
/// assert_eq!(arguments.get("path").and_then(|path| path.as_str()), Some("src/lib.rs"));
/// assert!(arguments.as_str().contains("12345678901234567890123"));
/// assert!(Arguments::parse(r#"{"path": "src/l"#).is_err());
/// # Ok::<(), windlass_protocol::ArgumentsError>(())
/// ```
///
/// Clones share the text: a call is handed from its answer to who judges it, records it and runs it.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Arguments(Arc<Parsed>);

#[derive(Debug)]
struct Parsed {
    text: String,
    value: Map<String, Value>,
}

/// Why a text is not the arguments of a call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentsError {
    /// The text is not JSON; the source says where.
    #[error("the arguments are not valid JSON")]
    Json(#[from] serde_json::Error),
    /// The text is JSON, but not an object.
    #[error("the arguments are {met}, an object is wanted")]
    NotAnObject {
        /// What was met: `an array`, `a string` …
        met: &'static str,
    },
}

impl Arguments {
    /// Parses the whole text of a call's arguments.
    ///
    /// # Errors
    /// If the text is not exactly one JSON object.
    pub fn parse(text: impl Into<String>) -> Result<Self, ArgumentsError> {
        let text = text.into();
        match serde_json::from_str(&text)? {
            Value::Object(value) => Ok(Self(Arc::new(Parsed { text, value }))),
            other => Err(ArgumentsError::NotAnObject { met: kind(&other) }),
        }
    }

    /// The text as the model wrote it.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// The parsed object.
    pub fn as_object(&self) -> &Map<String, Value> {
        &self.0.value
    }

    /// One argument by its name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.value.get(name)
    }

    /// The arguments as one value, for a validator or a deserializer.
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.value.clone())
    }

    /// Reads the arguments into a type of the tool's own.
    ///
    /// # Errors
    /// If they do not fit the type; the message names the field where serde knows it.
    pub fn read<T: for<'de> Deserialize<'de>>(&self) -> Result<T, serde_json::Error> {
        // From the text and not from the value: numbers keep their digits, errors their place.
        serde_json::from_str(&self.0.text)
    }

    /// The same text whoever wrote it: keys sorted at every depth, no white space, numbers as they were written.
    ///
    /// Two calls repeat each other if name and canonical arguments are equal (RULES L4).
    pub fn canonical(&self) -> String {
        let mut text = String::with_capacity(self.0.text.len());
        match write_canonical(self.0.text.trim(), &mut text) {
            Ok(()) => text,
            // Cannot be: the text was parsed when it came in. What the model wrote is never less exact.
            Err(_) => self.0.text.clone(),
        }
    }
}

// Written from the text and not from the value, whose numbers are floats where they are long: two calls that
// differ in a digit are two calls. Keys are sorted here and not left to serde_json's map, whose order another
// crate's feature can change. The recursion is as deep as serde_json's own parser let the value be, 128.
fn write_canonical(json: &str, text: &mut String) -> Result<(), serde_json::Error> {
    match json.as_bytes().first() {
        Some(b'{') => {
            // Of two equal keys the last wins, as in the value.
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(json)?;
            text.push('{');
            for (position, (key, value)) in members.into_iter().enumerate() {
                if position > 0 {
                    text.push(',');
                }
                text.push_str(&Value::String(key).to_string());
                text.push(':');
                write_canonical(value.get(), text)?;
            }
            text.push('}');
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(json)?;
            text.push('[');
            for (position, item) in items.into_iter().enumerate() {
                if position > 0 {
                    text.push(',');
                }
                write_canonical(item.get(), text)?;
            }
            text.push(']');
        }
        Some(b'"') => text.push_str(&Value::String(serde_json::from_str(json)?).to_string()),
        _ => text.push_str(json),
    }
    Ok(())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

impl Default for Arguments {
    /// `{}`, what a call without parameters has.
    fn default() -> Self {
        Self(Arc::new(Parsed { text: "{}".to_owned(), value: Map::new() }))
    }
}

impl PartialEq for Arguments {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.text == other.0.text
    }
}

impl Eq for Arguments {}

impl Serialize for Arguments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.text)
    }
}

impl TryFrom<String> for Arguments {
    type Error = ArgumentsError;

    fn try_from(text: String) -> Result<Self, ArgumentsError> {
        Self::parse(text)
    }
}

impl From<Arguments> for String {
    fn from(arguments: Arguments) -> Self {
        Arc::try_unwrap(arguments.0).map_or_else(|shared| shared.text.clone(), |parsed| parsed.text)
    }
}
