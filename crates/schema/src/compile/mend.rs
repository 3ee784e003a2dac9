//! Normalization of one level of a schema to JSON Schema 2020-12: nonstandard types, older drafts, `OpenAPI`,
//! mistakes.

use crate::json::{Json, Members};
use crate::kind::{Kind, Word, word};
use crate::loss::Losses;

/// Normalizes the members of a schema: every remaining value has the shape that its keyword requires.
/// Definitions are removed, because references are resolved in the author's own text.
pub(crate) fn mend(schema: &Json, path: &str, losses: &mut Losses) -> Members {
    let members = match schema {
        Json::Object(members) => members,
        Json::Bool(true) => return Members::new(),
        Json::Bool(false) => {
            losses.tell(path, "false", "accepts nothing, which cannot be expressed; any value is accepted");
            return Members::new();
        }
        _ => {
            losses.tell(path, "schema", "is not a valid schema; any value is accepted");
            return Members::new();
        }
    };
    let mut out = Members::new();
    for (key, value) in members.iter() {
        match key {
            "type" => {
                if let Some(kinds) = kinds(value, path, losses) {
                    out.push("type", types(&kinds));
                }
            }
            // A provider does not need the names of a document, and some providers refuse them.
            "$schema" | "$id" | "$anchor" | "$comment" | "$vocabulary" | "$defs" | "definitions" | "id"
            | "nullable" | "optional" | "additionalItems" | "const" => {}
            "$dynamicRef" | "$recursiveRef" | "$dynamicAnchor" | "$recursiveAnchor" | "dependencies" => {
                losses.tell(path, key, "is not sent");
            }
            // Draft 3 had a boolean `required` at the property, and tool lists still do. The boolean limits
            // of draft 4 are converted below.
            "required" | "exclusiveMinimum" | "exclusiveMaximum" if matches!(value, Json::Bool(_)) => {}
            "items" => items(members, value, &mut out),
            _ => match shape_value(key, value) {
                Some(value) => out.push(key, value),
                None => losses.tell(path, key, "has an invalid value, and is not sent"),
            },
        }
    }
    older(members, &mut out, path, losses);
    out
}

/// Converts keywords of older drafts and of `OpenAPI`.
fn older(members: &Members, out: &mut Members, path: &str, losses: &mut Losses) {
    for (word, limit) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if members.get(word) == Some(&Json::Bool(true))
            && let Some(value) = out.remove(limit)
        {
            out.push(word, value);
        }
    }
    if let Some(value) = members.get("const") {
        if out.get("enum").and_then(Json::as_array).is_some_and(|values| !values.contains(value)) {
            losses.tell(path, "enum", "differs from `const`, and is not sent");
        }
        out.set("enum", Json::Array(vec![value.clone()]));
    }
    if members.get("nullable") == Some(&Json::Bool(true))
        && let Some(said) = out.get("type")
    {
        let mut kinds = kinds_of(said);
        if !kinds.contains(&Kind::Null) {
            kinds.push(Kind::Null);
        }
        out.set("type", types(&kinds));
    }
}

/// Converts `items`: a list becomes `prefixItems` of draft 2020-12.
fn items(members: &Members, value: &Json, out: &mut Members) {
    match value {
        Json::Array(list) if !list.is_empty() => {
            out.set("prefixItems", value.clone());
            if let Some(more) = members.get("additionalItems") {
                out.set("items", more.clone());
            }
        }
        Json::Array(_) => {}
        _ => out.set("items", value.clone()),
    }
}

/// Returns the kinds that a `type` names, or `None` if it accepts anything.
fn kinds(value: &Json, path: &str, losses: &mut Losses) -> Option<Vec<Kind>> {
    let words: Vec<&Json> = match value {
        Json::Array(words) => words.iter().collect(),
        one => vec![one],
    };
    let mut kinds = Vec::new();
    for one in words {
        match one.as_str().map_or(Word::Unknown, word) {
            Word::Kind(kind) if !kinds.contains(&kind) => kinds.push(kind),
            Word::Kind(_) => {}
            Word::Any => return None,
            Word::Unknown => {
                losses.tell(path, "type", "names an unknown type; any value is accepted");
                return None;
            }
        }
    }
    if kinds.contains(&Kind::Number) {
        kinds.retain(|kind| *kind != Kind::Integer);
    }
    (!kinds.is_empty()).then_some(kinds)
}

/// Returns the kinds of a normalized `type`.
pub(crate) fn kinds_of(value: &Json) -> Vec<Kind> {
    let words = match value {
        Json::Array(words) => words.as_slice(),
        one => std::slice::from_ref(one),
    };
    let known = |one: &Json| Kind::ALL.into_iter().find(|kind| Some(kind.word()) == one.as_str());
    words.iter().filter_map(known).collect()
}

/// Creates a `type` of these kinds.
pub(crate) fn types(kinds: &[Kind]) -> Json {
    match kinds {
        [one] => Json::text(one.word()),
        many => Json::Array(many.iter().map(|kind| Json::text(kind.word())).collect()),
    }
}

/// Returns the value in the shape that its keyword requires, or `None` if that is impossible. An unknown
/// keyword accepts any value.
fn shape_value(key: &str, value: &Json) -> Option<Json> {
    let is_schema = |value: &Json| matches!(value, Json::Object(_) | Json::Bool(_));
    let keep = |fits: bool| fits.then(|| value.clone());
    match key {
        "$ref" | "description" | "title" | "format" | "pattern" | "contentEncoding" | "contentMediaType" => {
            keep(value.as_str().is_some())
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
            keep(value.as_f64().is_some_and(f64::is_finite))
        }
        "multipleOf" => keep(value.as_f64().is_some_and(|number| number > 0.0 && number.is_finite())),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => count(value).map(|count| Json::Number(count.to_string())),
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => keep(matches!(value, Json::Bool(_))),
        "enum" => match value {
            Json::Array(values) if !values.is_empty() => Some(Json::Array(unique(values))),
            _ => None,
        },
        "examples" => keep(matches!(value, Json::Array(_))),
        "required" => match value {
            Json::Array(names) if names.iter().all(|name| name.as_str().is_some()) => {
                Some(Json::Array(unique(names)))
            }
            _ => None,
        },
        "additionalProperties"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => keep(is_schema(value)),
        "properties" | "patternProperties" | "dependentSchemas" | "dependentRequired" => {
            keep(matches!(value, Json::Object(_)))
        }
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => match value {
            Json::Array(branches) => keep(!branches.is_empty() && branches.iter().all(is_schema)),
            _ => None,
        },
        _ => Some(value.clone()),
    }
}

/// Parses a non-negative integer. Some authors write `1.0`.
fn count(value: &Json) -> Option<u64> {
    let Json::Number(text) = value else { return None };
    text.strip_suffix(".0").unwrap_or(text).parse().ok()
}

/// Removes duplicate values and keeps the order.
fn unique(values: &[Json]) -> Vec<Json> {
    let mut seen = std::collections::BTreeSet::new();
    values.iter().filter(|value| seen.insert(value.to_string())).cloned().collect()
}
