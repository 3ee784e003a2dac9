//! JSON's kinds of value, and the words that schemas have for them.

#[cfg(feature = "validate")]
use serde_json::{Map, Value};

/// A kind of JSON value, as `type` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    String,
    Integer,
    Number,
    Boolean,
    Object,
    Array,
    Null,
}

/// What a word under `type` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// This kind.
    Kind(Kind),
    /// Any kind: `any` and the like.
    Any,
    /// Nobody knows.
    Unknown,
}

impl Kind {
    pub(crate) const ALL: [Self; 7] =
        [Self::String, Self::Integer, Self::Number, Self::Boolean, Self::Object, Self::Array, Self::Null];

    /// JSON Schema's word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Object => "object",
            Self::Array => "array",
            Self::Null => "null",
        }
    }
}

/// Reads a word under `type`: JSON Schema's own, and those of the languages that tool lists are written from.
/// The Berkeley function-calling list has `dict`, `float`, `tuple` and `any`, and `String` and `HashMap` in its
/// parts for Java.
pub(crate) fn word(word: &str) -> Word {
    let plain = word.trim().to_ascii_lowercase();
    // `list[int]`, `array<string>`: what stands in brackets is not read.
    let plain = plain.split(['[', '<', '(']).next().unwrap_or_default();
    Word::Kind(match plain {
        "string" | "str" | "text" | "char" | "character" | "bytes" | "date" | "datetime" | "uuid" => {
            Kind::String
        }
        "integer" | "int" | "long" | "short" | "byte" | "int32" | "int64" | "uint" | "uint32" | "uint64"
        | "bigint" => Kind::Integer,
        "number" | "float" | "double" | "decimal" | "numeric" | "real" | "float32" | "float64" => {
            Kind::Number
        }
        "boolean" | "bool" => Kind::Boolean,
        "object" | "dict" | "dictionary" | "map" | "hashmap" | "mapping" | "record" | "struct" => {
            Kind::Object
        }
        "array" | "list" | "tuple" | "set" | "arraylist" | "sequence" | "vector" => Kind::Array,
        "null" | "none" | "nonetype" | "nil" | "void" => Kind::Null,
        "any" | "unknown" | "mixed" | "anything" | "json" | "value" => return Word::Any,
        _ => return Word::Unknown,
    })
}

/// Whether all types in a schema are JSON Schema's own words.
#[cfg(feature = "validate")]
pub(crate) fn uses_known_types(schema: &Value) -> bool {
    let is_known =
        |one: &Value| one.as_str().is_none_or(|name| Kind::ALL.iter().any(|kind| kind.word() == name));
    match schema {
        Value::Object(members) => members.iter().all(|(key, value)| match (key.as_str(), value) {
            ("type", Value::String(_)) => is_known(value),
            ("type", Value::Array(words)) => words.iter().all(is_known),
            ("properties" | "patternProperties" | "$defs" | "definitions", Value::Object(schemas)) => {
                schemas.values().all(uses_known_types)
            }
            ("enum" | "const" | "default" | "examples", _) => true,
            _ => uses_known_types(value),
        }),
        Value::Array(items) => items.iter().all(uses_known_types),
        _ => true,
    }
}

/// The schema with JSON Schema's words for what odd types mean.
#[cfg(feature = "validate")]
pub(crate) fn with_known_types(schema: Value) -> Value {
    match schema {
        Value::Object(members) => {
            let known = |(key, value): (String, Value)| {
                let value = match (key.as_str(), value) {
                    ("type", Value::String(name)) => known_word(&name)?,
                    ("type", Value::Array(words)) => {
                        let words = words.into_iter().map(|one| known_word(one.as_str()?));
                        let mut words = words.collect::<Option<Vec<_>>>()?;
                        words.sort_by_key(ToString::to_string);
                        words.dedup();
                        Value::Array(words)
                    }
                    (
                        "properties" | "patternProperties" | "$defs" | "definitions",
                        Value::Object(schemas),
                    ) => Value::Object(
                        schemas.into_iter().map(|(name, schema)| (name, with_known_types(schema))).collect(),
                    ),
                    ("enum" | "const" | "default" | "examples", value) => value,
                    (_, value) => with_known_types(value),
                };
                Some((key, value))
            };
            Value::Object(members.into_iter().filter_map(known).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(with_known_types).collect()),
        other => other,
    }
}

#[cfg(feature = "validate")]
fn known_word(name: &str) -> Option<Value> {
    match word(name) {
        Word::Kind(kind) => Some(Value::from(kind.word())),
        Word::Any => None,
        // A mistake is told, not taken for anything.
        Word::Unknown => Some(Value::from(name)),
    }
}
