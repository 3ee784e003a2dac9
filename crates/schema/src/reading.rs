//! Conversion of one text to the kind of value that a schema expects (RULES J9).

use serde_json::Value;

use crate::wanted::{AcceptedKinds, WantedKind};

/// Presence of a value: required or optional.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a property is required or it is not")]
pub enum Need {
    /// The value is required.
    Required,
    /// The value may be missing.
    Optional,
}

impl Need {
    /// Returns whether an object's schema requires a property.
    pub fn from_property(object: &Value, property: &str) -> Self {
        let names = object.get("required").and_then(Value::as_array);
        if names.is_some_and(|names| names.iter().any(|name| name.as_str() == Some(property))) {
            Self::Required
        } else {
            Self::Optional
        }
    }
}

/// Result of converting a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextConversion {
    /// The text stays a string.
    Text,
    /// The text is JSON of another kind: `boolean`, `number`, `null`, `array`, `object`.
    Json {
        /// The JSON. A number keeps the digits of the text.
        json: String,
        /// The name of the kind.
        kind: &'static str,
    },
    /// The value is left out: the text is null, the schema does not accept null, and the value is optional.
    Omitted,
    /// The text stays a string, although the schema expects another kind.
    Failed,
}

impl TextConversion {
    /// Converts a text to an accepted kind. Surrounding white space and Python's `True`, `False` and `None`
    /// are accepted, because models write them.
    ///
    /// ```
    /// use serde_json::json;
    /// use windlass_schema::{Need, TextConversion, AcceptedKinds};
    /// let number = json!({ "type": "number" });
    /// let read = |text| TextConversion::convert(text, AcceptedKinds::from_schema(&number, &number), Need::Required);
    /// assert_eq!(read("1.50"), TextConversion::Json { json: "1.50".to_owned(), kind: "number" });
    /// assert_eq!(read(""), TextConversion::Failed);
    /// ```
    pub fn convert(text: &str, wanted: AcceptedKinds, need: Need) -> Self {
        if wanted.is_text() {
            return Self::Text;
        }
        let plain = text.trim();
        if matches!(plain, "null" | "None") {
            if wanted.takes(WantedKind::Null) {
                return Self::json("null", "null");
            }
            if need == Need::Optional && !wanted.takes(WantedKind::String) {
                return Self::Omitted;
            }
        }
        if wanted.takes(WantedKind::Boolean) {
            match plain {
                "true" | "True" | "TRUE" => return Self::json("true", "boolean"),
                "false" | "False" | "FALSE" => return Self::json("false", "boolean"),
                _ => {}
            }
        }
        let begins_a_number = plain.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        if wanted.takes(WantedKind::Number) && begins_a_number && is_member(plain) {
            return Self::json(plain, "number");
        }
        if wanted.takes(WantedKind::Object) && plain.starts_with('{') && is_member(plain) {
            return Self::json(plain, "object");
        }
        if wanted.takes(WantedKind::Array) && plain.starts_with('[') && is_member(plain) {
            return Self::json(plain, "array");
        }
        if wanted.takes(WantedKind::String) { Self::Text } else { Self::Failed }
    }

    fn json(text: &str, kind: &'static str) -> Self {
        Self::Json { json: text.to_owned(), kind }
    }
}

/// Returns whether a text is one JSON value that can be a member of arguments. There one level of nesting
/// less is left than for a text of its own.
pub fn is_member(text: &str) -> bool {
    serde_json::from_str::<Value>(&format!("[{text}]"))
        .is_ok_and(|list| list.as_array().is_some_and(|list| list.len() == 1))
}
