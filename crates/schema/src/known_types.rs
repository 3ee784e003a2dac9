//! Replacement of nonstandard types by those that a validator knows.

use serde_json::{Map, Value};

use crate::kind::{Kind, Word, word};

/// Returns whether a schema uses only types of JSON Schema, and no `nullable`.
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
            ("nullable", Value::Bool(true)) => false,
            _ => uses_known_types(value),
        }),
        Value::Array(items) => items.iter().all(uses_known_types),
        _ => true,
    }
}

/// Replaces nonstandard types, and `nullable` of `OpenAPI`, by the types of JSON Schema that they mean.
pub(crate) fn with_known_types(schema: Value) -> Value {
    match schema {
        Value::Object(members) => {
            let known = |(key, value): (String, Value)| {
                let value = match (key.as_str(), value) {
                    ("type", Value::String(name)) => find_word(&name)?,
                    ("type", Value::Array(words)) => {
                        let words = words.into_iter().map(|one| find_word(one.as_str()?));
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
            let mut members: Map<_, _> = members.into_iter().filter_map(known).collect();
            if members.get("nullable") == Some(&Value::Bool(true)) {
                if let Some(Value::String(_)) = members.get("type") {
                    let one = members.remove("type");
                    members.insert("type".to_owned(), one.into_iter().collect());
                }
                let null = Value::from("null");
                if let Some(Value::Array(words)) = members.get_mut("type")
                    && !words.contains(&null)
                {
                    words.push(null);
                }
            }
            Value::Object(members)
        }
        Value::Array(items) => Value::Array(items.into_iter().map(with_known_types).collect()),
        other => other,
    }
}

fn find_word(name: &str) -> Option<Value> {
    match word(name) {
        Word::Kind(kind) => Some(Value::from(kind.word())),
        Word::Any => None,
        // Keep an unknown word, so that the validator reports it.
        Word::Unknown => Some(Value::from(name)),
    }
}
