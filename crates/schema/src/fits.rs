//! Test of a value's shape, to select the branch of a union.

use serde_json::{Map, Value};

use crate::kind::{Kind, Word, word};
use crate::wanted::resolve;

/// Returns whether a value has the shape of a schema: its kind, listed values, and the properties and items
/// that it has or must have. Bounds and patterns are not compared. Below `depth` levels every value matches.
pub(crate) fn fits(value: &Value, schema: &Value, root: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    let schema = match resolve(schema, root) {
        Value::Object(schema) => schema,
        other => return *other != Value::Bool(false),
    };
    if !is_of_kind(value, schema) {
        return false;
    }
    let is_listed = schema.get("enum").and_then(Value::as_array).is_none_or(|all| all.contains(value));
    if !is_listed || schema.get("const").is_some_and(|only| only != value) {
        return false;
    }
    let branches = |word: &str| schema.get(word).and_then(Value::as_array);
    let takes = |branch: &Value| fits(value, branch, root, depth);
    if ["anyOf", "oneOf"].into_iter().filter_map(branches).any(|all| !all.iter().any(takes)) {
        return false;
    }
    if branches("allOf").is_some_and(|all| !all.iter().all(takes)) {
        return false;
    }
    match value {
        Value::Object(members) => object_fits(members, schema, root, depth),
        Value::Array(items) => items.iter().enumerate().all(|(position, item)| {
            item_schema(schema, position).is_none_or(|wanted| fits(item, wanted, root, depth))
        }),
        _ => true,
    }
}

fn object_fits(
    members: &Map<String, Value>,
    schema: &Map<String, Value>,
    root: &Value,
    depth: usize,
) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    let mut names = required.into_iter().flatten().filter_map(Value::as_str);
    let properties = schema.get("properties");
    let more = schema.get("additionalProperties");
    // Names are not compared with patterns, so with `patternProperties` every further property matches.
    let more = more.filter(|_| !schema.contains_key("patternProperties"));
    names.all(|name| members.contains_key(name))
        && members.iter().all(|(name, value)| {
            let wanted = properties.and_then(|all| all.get(name)).or(more);
            wanted.is_none_or(|wanted| fits(value, wanted, root, depth))
        })
}

fn item_schema(schema: &Map<String, Value>, position: usize) -> Option<&Value> {
    let lists = [schema.get("prefixItems"), schema.get("items")];
    let first = lists.into_iter().flatten().find_map(|list| list.as_array()?.get(position));
    first.or_else(|| schema.get("items").filter(|items| !items.is_array()))
}

fn is_of_kind(value: &Value, schema: &Map<String, Value>) -> bool {
    let is = |name: &str| match word(name) {
        Word::Kind(kind) => match (kind, value) {
            (Kind::String, Value::String(_))
            | (Kind::Number, Value::Number(_))
            | (Kind::Boolean, Value::Bool(_))
            | (Kind::Null, Value::Null)
            | (Kind::Array, Value::Array(_))
            | (Kind::Object, Value::Object(_)) => true,
            (Kind::Integer, Value::Number(number)) => {
                number.is_i64()
                    || number.is_u64()
                    || number.as_f64().is_some_and(|float| float.fract() == 0.0)
            }
            _ => false,
        },
        Word::Any | Word::Unknown => true,
    };
    let is_null = value.is_null() && schema.get("nullable") == Some(&Value::Bool(true));
    is_null
        || match schema.get("type") {
            Some(Value::String(name)) => is(name),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(is),
            _ => true,
        }
}
