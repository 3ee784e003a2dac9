//! The schema of a type as the model is told it: short, in one piece, in the order of the fields.

use std::fmt::Write as _;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};
use windlass_protocol::RawJson;

/// Where the derive notes the order of a struct's properties: a model writes arguments in that order, and
/// `serde_json` sorts keys.
pub(crate) const ORDER: &str = "x-windlass-order";

/// Keywords in the order in which people write them; others come between these and `required`.
const FIRST: [&str; 4] = ["type", "description", "enum", "properties"];
const LAST: [&str; 4] = ["items", "required", "additionalProperties", "$defs"];

/// The schema of a type.
pub(crate) fn of<T: JsonSchema>() -> RawJson {
    ordered::<T>(None)
}

/// The schema of a type whose properties are to stand in this order.
pub(crate) fn ordered<T: JsonSchema>(names: Option<&[&str]>) -> RawJson {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The name of a Rust type says nothing to a model.
    schema.remove("title");
    if let Some(names) = names {
        schema = with_order(schema, names);
    }
    // Some providers refuse arguments without properties, even where there are none.
    if let Some(members) = schema.as_object_mut().filter(|members| is_object(members)) {
        members.entry("properties").or_insert_with(|| Map::new().into());
    }
    let mut text = String::new();
    write_schema(schema.as_value(), &mut text);
    // What was written is JSON by construction; the value itself, in sorted order, is never less true.
    text.parse().unwrap_or_else(|_| RawJson::from(schema.as_value()))
}

/// Notes the order of a struct's properties in its schema.
pub(crate) fn with_order(mut schema: schemars::Schema, names: &[&str]) -> schemars::Schema {
    schema.insert(ORDER.to_owned(), names.to_vec().into());
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

/// The order that the derive noted, and the widths of Rust's numbers, which the limits beside them say too.
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

/// Properties in the order of the fields, else the required ones first, as their list is in that order.
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
