//! Reading one text as a schema wants it (RULES J9).

use serde_json::Value;

use crate::wanted::{Wanted, WantedKind};

/// Whether a value may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a property is required or it is not")]
pub enum Need {
    /// It must be there.
    Required,
    /// It may be missing.
    Optional,
}

impl Need {
    /// What an object's schema says of one of its properties.
    pub fn of(object: &Value, property: &str) -> Self {
        let names = object.get("required").and_then(Value::as_array);
        if names.is_some_and(|names| names.iter().any(|name| name.as_str() == Some(property))) {
            Self::Required
        } else {
            Self::Optional
        }
    }
}

/// What a text becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reading {
    /// The string that it is.
    Text,
    /// JSON of another kind: `boolean`, `number`, `null`, `array`, `object`.
    Json {
        /// The JSON; a number's digits are those of the text.
        json: String,
        /// Its kind.
        kind: &'static str,
    },
    /// Nothing: it says null, which is not taken, and need not be there.
    Omitted,
    /// The string that it is, though another kind is wanted.
    Failed,
}

impl Reading {
    /// Reads a text as the schema wants it. White space around it, and Python's `True`, `False` and `None`, are
    /// what models write.
    ///
    /// ```
    /// use serde_json::json;
    /// use windlass_schema::{Need, Reading, Wanted};
    /// let number = json!({ "type": "number" });
    /// let read = |text| Reading::of(text, Wanted::of(&number, &number), Need::Required);
    /// assert_eq!(read("1.50"), Reading::Json { json: "1.50".to_owned(), kind: "number" });
    /// assert_eq!(read(""), Reading::Failed);
    /// ```
    pub fn of(text: &str, wanted: Wanted, need: Need) -> Self {
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

/// Whether a text is JSON as a member of arguments, where it may be one level less deep than by itself.
pub fn is_member(text: &str) -> bool {
    serde_json::from_str::<Value>(&format!("[{text}]"))
        .is_ok_and(|list| list.as_array().is_some_and(|list| list.len() == 1))
}
