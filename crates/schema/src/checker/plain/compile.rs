//! The check of a schema itself: the values of its keywords, its references and its patterns.

use std::collections::HashMap;

use regex::Regex;
use serde_json::{Map, Value};

use super::super::SchemaError;
use super::pattern;
use crate::kind::Kind;
use crate::work::target;

/// Keywords that need the feature `jsonschema`.
const RARE: [&str; 2] = ["$dynamicRef", "$recursiveRef"];

/// Maximum length of a path in an error, in bytes. Every keyword below a long name would repeat it.
const MAX_PATH: usize = 1_024;

type Walk<'a> = Vec<(&'a Value, String)>;

/// Checks a schema and returns its patterns.
pub(super) fn compile(root: &Value, pattern_bytes: usize) -> Result<HashMap<String, Regex>, SchemaError> {
    let mut patterns = HashMap::new();
    let mut open: Walk<'_> = vec![(root, String::new())];
    while let Some((schema, path)) = open.pop() {
        let keywords = match schema {
            Value::Object(keywords) => keywords,
            Value::Bool(_) => continue,
            _ => return Err(to_schema_error(&path, "a schema is an object or a boolean")),
        };
        for (keyword, value) in keywords {
            let path = join_path(&path, keyword);
            keyword_value(keyword, value, &path)?;
            for pattern in patterns_of(keyword, value) {
                if !patterns.contains_key(pattern) {
                    let regex = pattern::compile(pattern, pattern_bytes)
                        .map_err(|error| to_schema_error(&path, &error.to_string()))?;
                    patterns.insert(pattern.to_owned(), regex);
                }
            }
            if keyword == "$ref" && value.as_str().is_none_or(|name| target(root, name).is_none()) {
                return Err(to_schema_error(
                    &path,
                    &format!("the reference {value} leads to no schema of this document"),
                ));
            }
            if keyword == "$id" && !std::ptr::eq(schema, root) {
                return Err(rare(&path, "`$id` in a subschema"));
            }
            subschemas(keyword, value, &path, &mut open);
        }
    }
    Ok(patterns)
}

/// Returns the path of a part of a schema. A part with a very long path is not named.
fn join_path(path: &str, name: &str) -> String {
    let is_short = path.len().saturating_add(name.len()) <= MAX_PATH;
    format!("{path}/{}", if is_short { crate::work::escape(name) } else { "…".to_owned() })
}

fn to_schema_error(path: &str, message: &str) -> SchemaError {
    SchemaError { message: message.to_owned(), path: path.to_owned() }
}

fn rare(path: &str, what: &str) -> SchemaError {
    to_schema_error(path, &format!("{what} needs the feature `jsonschema` of windlass-schema"))
}

fn patterns_of<'a>(keyword: &str, value: &'a Value) -> Vec<&'a str> {
    match (keyword, value) {
        ("pattern", Value::String(pattern)) => vec![pattern],
        ("patternProperties", Value::Object(schemas)) => schemas.keys().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Checks the form of a keyword's value. Unknown keywords are annotations.
fn keyword_value(keyword: &str, value: &Value, path: &str) -> Result<(), SchemaError> {
    let is_name =
        |value: &Value| value.as_str().is_some_and(|name| Kind::ALL.iter().any(|kind| kind.word() == name));
    let are_names = |value: &Value| value.as_array().is_some_and(|names| names.iter().all(Value::is_string));
    let all_are_names = |members: &Map<String, Value>| members.values().all(are_names);
    let (is_well_formed, wanted) = match keyword {
        _ if RARE.contains(&keyword) => return Err(rare(path, &format!("`{keyword}`"))),
        "type" => (
            is_name(value)
                || value.as_array().is_some_and(|names| !names.is_empty() && names.iter().all(is_name)),
            "a type or a list of types",
        ),
        "enum" | "allOf" | "anyOf" | "oneOf" | "prefixItems" => (value.is_array(), "an array"),
        "required" => (are_names(value), "an array of names"),
        "dependentRequired" => (value.as_object().is_some_and(all_are_names), "an object of arrays of names"),
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
        | "dependencies" => (value.is_object(), "an object"),
        "pattern" | "$ref" => (value.is_string(), "a string"),
        "uniqueItems" => (value.is_boolean(), "a boolean"),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => (value.is_number(), "a number"),
        "multipleOf" => (value.as_f64().is_some_and(|number| number > 0.0), "a number above 0"),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => (limit(value).is_some(), "a count"),
        _ => (true, ""),
    };
    if is_well_formed { Ok(()) } else { Err(to_schema_error(path, &format!("{value} is not {wanted}"))) }
}

/// Returns the value of a keyword that limits a count.
pub(super) fn limit(value: &Value) -> Option<u64> {
    let whole = |number: f64| (number >= 0.0 && number.fract() == 0.0).then(|| format!("{number:.0}"));
    value.as_u64().or_else(|| whole(value.as_f64()?)?.parse().ok())
}

/// Adds the schemas inside a keyword.
fn subschemas<'a>(keyword: &str, value: &'a Value, path: &str, open: &mut Walk<'a>) {
    match (keyword, value) {
        (
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
            Value::Object(all),
        ) => {
            open.extend(all.iter().map(|(name, schema)| (schema, join_path(path, name))));
        }
        ("dependencies", Value::Object(all)) => {
            let schemas = all.iter().filter(|(_, value)| !value.is_array());
            open.extend(schemas.map(|(name, schema)| (schema, join_path(path, name))));
        }
        ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Value::Array(schemas)) => {
            open.extend(
                schemas.iter().enumerate().map(|(at, schema)| (schema, join_path(path, &at.to_string()))),
            );
        }
        (
            "items"
            | "additionalItems"
            | "additionalProperties"
            | "propertyNames"
            | "contains"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "not"
            | "if"
            | "then"
            | "else",
            schema,
        ) => open.push((schema, path.to_owned())),
        _ => {}
    }
}
