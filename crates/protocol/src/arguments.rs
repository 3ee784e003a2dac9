//! The complete arguments of a call.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The complete arguments of a call: a JSON object together with the text in which the model wrote it.
///
/// Only this type can be executed. Arguments that still stream have another type in `windlass-partial-json`,
/// and no conversion into this type exists (RULES J1). serde represents it as a JSON string with the text, so
/// that spelling and key order survive in any format.
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
/// Clones share the text, because a call is passed to policy, journal and tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Arguments(Arc<ParsedOnce>);

#[derive(Debug)]
struct ParsedOnce {
    text: String,
    /// Always an object.
    value: Value,
}

/// The maximum number of values in the arguments of a call. A parsed object with one member takes about 600 bytes of
/// memory, so the length of the text alone does not limit the memory. No model writes as many values in one answer.
const MAX_VALUES: usize = 100_000;

/// The members of a value that is not an object. [`ParsedOnce`] never has one.
static NO_MEMBERS: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// Error of parsing a call's arguments.
#[derive(Debug)]
#[non_exhaustive]
pub enum ArgumentsError {
    /// The text is not valid JSON; the source contains the position.
    Json(serde_json::Error),
    /// The text is JSON, but not an object.
    NotAnObject {
        /// The kind of the value: `an array`, `a string` …
        met: &'static str,
    },
    /// The text has more values than arguments may have. It was not parsed.
    TooManyValues {
        /// The maximum number of values.
        limit: usize,
    },
}

impl fmt::Display for ArgumentsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(_) => f.write_str("the arguments are not valid JSON"),
            Self::NotAnObject { met } => write!(f, "the arguments are {met}, expected an object"),
            Self::TooManyValues { limit } => write!(f, "the arguments have more than {limit} values"),
        }
    }
}

impl Error for ArgumentsError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Json(error) => Some(error),
            Self::NotAnObject { .. } | Self::TooManyValues { .. } => None,
        }
    }
}

impl From<serde_json::Error> for ArgumentsError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

impl Arguments {
    /// Parses the complete text of a call's arguments.
    ///
    /// # Errors
    /// Returns an error if the text is not exactly one JSON object, or has more than 100,000 values.
    pub fn parse(text: impl Into<String>) -> Result<Self, ArgumentsError> {
        let text = text.into();
        if has_more_values(&text, MAX_VALUES) {
            return Err(ArgumentsError::TooManyValues { limit: MAX_VALUES });
        }
        Self::parse_recorded(text)
    }

    /// Parses arguments of a record, which an earlier version may have written with more values.
    fn parse_recorded(text: String) -> Result<Self, ArgumentsError> {
        match serde_json::from_str(&text)? {
            value @ Value::Object(_) => Ok(Self(Arc::new(ParsedOnce { text, value }))),
            other => Err(ArgumentsError::NotAnObject { met: kind(&other) }),
        }
    }

    /// Returns the text as the model wrote it.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Returns the parsed object. Of repeated keys it contains the last value.
    pub fn as_object(&self) -> &Map<String, Value> {
        self.0.value.as_object().unwrap_or(&NO_MEMBERS)
    }

    /// Returns the parsed object as a value, for a validator.
    pub fn as_value(&self) -> &Value {
        &self.0.value
    }

    /// Returns an argument by its name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.value.get(name)
    }

    /// Returns a copy of the arguments as one value, for a deserializer. [`as_value`](Self::as_value) does not copy.
    pub fn to_value(&self) -> Value {
        self.0.value.clone()
    }

    /// Deserializes the arguments into a tool's own type.
    ///
    /// # Errors
    /// Returns an error if the arguments do not fit the type; its message contains the field if serde knows
    /// it.
    pub fn read<T: for<'de> Deserialize<'de>>(&self) -> Result<T, serde_json::Error> {
        // Deserialize from the text instead of the value, so that numbers keep their digits and errors their
        // position.
        serde_json::from_str(&self.0.text)
    }

    /// Returns the canonical form of the arguments: keys sorted at every depth, no white space, numbers as
    /// written.
    ///
    /// Two calls repeat each other if their names and canonical arguments are equal (RULES L4).
    pub fn canonical(&self) -> String {
        let mut text = String::with_capacity(self.0.text.len());
        match write_canonical(self.0.text.trim(), &mut text) {
            Ok(()) => text,
            // Unreachable, because the text has been parsed before. The original text is a correct fallback.
            Err(_) => self.0.text.clone(),
        }
    }
}

// The canonical form is derived from the text instead of the value, because the value stores long numbers as
// floats and two calls that differ in one digit must stay different. Keys are sorted here because the order
// of serde_json's map depends on a Cargo feature that another crate can enable. The recursion depth is
// limited by serde_json's parser to 128.
fn write_canonical(json: &str, text: &mut String) -> Result<(), serde_json::Error> {
    match json.as_bytes().first() {
        Some(b'{') => {
            // The last of equal keys wins, as in the value.
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
    /// Returns `{}`, the arguments of a call without parameters.
    fn default() -> Self {
        Self(Arc::new(ParsedOnce { text: "{}".to_owned(), value: Value::Object(Map::new()) }))
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
        Self::parse_recorded(text)
    }
}

/// Returns true if a JSON text has more values than `most`. Each value follows a comma, a colon or an opening bracket
/// outside a string; an empty object or list counts as one value more.
fn has_more_values(text: &str, most: usize) -> bool {
    // Each value takes at least two bytes, with the character before it.
    if text.len() / 2 <= most {
        return false;
    }
    let (mut count, mut is_string, mut is_escaped) = (1_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_string,
            b'"' => is_string = !is_string,
            b',' | b'[' | b'{' if !is_string => count = count.saturating_add(1),
            _ => {}
        }
    }
    count > most
}

impl From<Arguments> for String {
    fn from(arguments: Arguments) -> Self {
        Arc::try_unwrap(arguments.0).map_or_else(|shared| shared.text.clone(), |parsed| parsed.text)
    }
}
