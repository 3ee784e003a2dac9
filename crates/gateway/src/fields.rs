//! The fields of a request that only its own format has.

use serde_json::{Map, Value};
use windlass_wire::{FieldFate, FieldRule};

/// Returns whether a value has an effect: defaults of the APIs have none.
fn has_effect(name: &str, value: &Value) -> bool {
    let is_text_only = |list: &[Value]| {
        list.iter().all(|kind| kind.as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("text")))
    };
    match value {
        // An empty object turns the search on.
        Value::Object(_) if name == "web_search_options" => true,
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) if matches!(name, "n" | "candidateCount") => number.as_u64() != Some(1),
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) if matches!(name, "modalities" | "responseModalities") => !is_text_only(list),
        Value::Array(list) => !list.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(true) => true,
    }
}

/// Returns whether a request with a field of this fate is refused. A store removes the fields that it acts on.
fn is_refusal(fate: FieldFate) -> bool {
    matches!(fate, FieldFate::Refused | FieldFate::Stored)
}

/// Returns the first field that another format's provider must not answer without.
pub(crate) fn find_refused(rules: &[FieldRule], extra: &Map<String, Value>) -> Option<&'static str> {
    let value = |field: &str| match field.split_once('.') {
        Some((outer, inner)) => extra.get(outer)?.get(inner),
        None => extra.get(field),
    };
    let is_refused = |rule: &&FieldRule| {
        let name = rule.field.rsplit('.').next().unwrap_or(rule.field);
        is_refusal(rule.fate) && value(rule.field).is_some_and(|value| has_effect(name, value))
    };
    rules.iter().find(is_refused).map(|rule| rule.field)
}

/// Returns the names of fields that are left out. For an object with a rule for one of its fields, these are the
/// names of its fields.
pub(crate) fn names(rules: &[FieldRule], extra: Map<String, Value>) -> Vec<String> {
    let is_refused = |name: &str| rules.iter().any(|rule| rule.field == name && is_refusal(rule.fate));
    let has_inner = |name: &str| {
        rules.iter().any(|rule| rule.field.split_once('.').is_some_and(|(outer, _)| outer == name))
    };
    let mut names = Vec::new();
    for (name, value) in extra {
        // A refused field with the default of its API has no effect.
        if value.is_null() || is_refused(&name) && !has_effect(&name, &value) {
            continue;
        }
        match value {
            Value::Object(fields) if has_inner(&name) => {
                names.extend(fields.into_iter().map(|(name, _)| name));
            }
            _ => names.push(name),
        }
    }
    names
}
