//! The schema of a type in the form that the model receives: short, one document, properties in field order.

use std::fmt::Write as _;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};
use windlass_protocol::RawJson;

/// Schema keyword under which the derive stores the order of a struct's properties. A model writes arguments
/// in schema order, and `serde_json` would sort the keys.
pub(crate) const ORDER: &str = "x-windlass-order";

/// Keywords in the order in which people write them. Other keywords are placed between `FIRST` and `LAST`.
const FIRST: [&str; 4] = ["type", "description", "enum", "properties"];
const LAST: [&str; 4] = ["items", "required", "additionalProperties", "$defs"];

/// Returns the JSON Schema of a type. Subschemas are inlined except for recursive types.
///
/// ```
/// let schema = windlass_tool_args::schema_of::<Vec<u8>>();
/// assert!(schema.as_str().contains("array"));
/// ```
pub fn schema_of<T: JsonSchema>() -> RawJson {
    finish(root::<T>())
}

/// Returns the schema of a function's parameters, with its properties in the given order. The schema has no
/// description: the function's tool has it.
pub(crate) fn schema_of_function<T: JsonSchema>(names: &[&str]) -> RawJson {
    finish(remove_description(with_order(root::<T>(), names)))
}

fn root<T: JsonSchema>() -> schemars::Schema {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The title is the name of the Rust type, which does not help a model.
    schema.remove("title");
    schema
}

fn finish(mut schema: schemars::Schema) -> RawJson {
    // Some providers reject an object schema without `properties`, even if the object has no members.
    if let Some(members) = schema.as_object_mut().filter(|members| is_object(members)) {
        members.entry("properties").or_insert_with(|| Map::new().into());
    }
    let mut text = String::new();
    write_schema(schema.as_value(), &mut text);
    // `text` is valid JSON by construction. The fallback is the same schema with sorted keys.
    text.parse().unwrap_or_else(|_| RawJson::from(schema.as_value()))
}

/// Stores the order of a struct's properties in its schema.
pub(crate) fn with_order(mut schema: schemars::Schema, names: &[&str]) -> schemars::Schema {
    schema.insert(ORDER.to_owned(), names.to_vec().into());
    schema
}

/// Removes a description. A flattened field without a description beside it leaves its own, which describes only a
/// part of the properties.
pub(crate) fn remove_description(mut schema: schemars::Schema) -> schemars::Schema {
    schema.remove("description");
    schema
}

fn is_object(schema: &Map<String, Value>) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
}

fn write_schema(schema: &Value, text: &mut String) {
    let Some(members) = schema.as_object() else {
        return write_value(schema, text);
    };
    let between =
        members.keys().map(String::as_str).filter(|key| !FIRST.contains(key) && !LAST.contains(key));
    let keys = FIRST.into_iter().chain(between).chain(LAST);
    let mut separator = '{';
    for key in keys {
        let Some(value) = members.get(key).filter(|_| !is_noise(key, members)) else { continue };
        text.push(separator);
        separator = ',';
        write_key(key, text);
        match (key, value) {
            ("properties", Value::Object(properties)) => write_properties(members, properties, text),
            ("$defs" | "patternProperties", Value::Object(schemas)) => {
                write_members(schemas.iter().map(|(name, schema)| (name.as_str(), schema)), text);
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                write_list(schemas, write_schema, text);
            }
            ("items" | "additionalProperties" | "not", schema) => write_schema(schema, text),
            (_, value) => write_value(value, text),
        }
    }
    text.push_str(if separator == '{' { "{}" } else { "}" });
}

/// Returns whether a keyword is omitted: the stored order, and the width of a Rust number, which `minimum`
/// and `maximum` express already.
fn is_noise(key: &str, schema: &Map<String, Value>) -> bool {
    let is_number = || {
        let named = |kind: &Value| matches!(kind.as_str(), Some("integer" | "number"));
        match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().any(named),
            Some(kind) => named(kind),
            None => false,
        }
    };
    key == ORDER || (key == "format" && is_number())
}

/// Writes properties in field order if the derive stored it; otherwise required properties first, in the
/// order of `required`.
fn write_properties(schema: &Map<String, Value>, properties: &Map<String, Value>, text: &mut String) {
    let order = schema.get(ORDER).or_else(|| schema.get("required")).and_then(Value::as_array);
    let order: Vec<&str> = order.into_iter().flatten().filter_map(Value::as_str).collect();
    let known = order.iter().filter_map(|name| properties.get_key_value(*name));
    let others = properties.iter().filter(|(name, _)| !order.contains(&name.as_str()));
    write_members(known.chain(others).map(|(name, schema)| (name.as_str(), schema)), text);
}

fn write_members<'a>(members: impl Iterator<Item = (&'a str, &'a Value)>, text: &mut String) {
    text.push('{');
    for (position, (name, schema)) in members.enumerate() {
        if position > 0 {
            text.push(',');
        }
        write_key(name, text);
        write_schema(schema, text);
    }
    text.push('}');
}

fn write_list(values: &[Value], write: fn(&Value, &mut String), text: &mut String) {
    text.push('[');
    for (position, value) in values.iter().enumerate() {
        if position > 0 {
            text.push(',');
        }
        write(value, text);
    }
    text.push(']');
}

fn write_key(key: &str, text: &mut String) {
    write_value(&Value::from(key), text);
    text.push(':');
}

fn write_value(value: &Value, text: &mut String) {
    // Writing to a `String` cannot fail.
    let _ = write!(text, "{value}");
}
