//! Merging of two schemas that both apply to a value.

use std::collections::{BTreeMap, BTreeSet};

use super::mend::{kinds_of, mend, types};
use crate::json::{Json, Members};
use crate::kind::Kind;
use crate::loss::Losses;

/// Maximum depth to which properties are merged. Below it the first schema wins.
const DEPTH: usize = 16;

/// Merges the second schema into the first. Both are normalized. If two keywords cannot be combined, the
/// first one stays and a loss is reported. `path` is the position of the second schema.
pub(crate) fn both(first: &mut Members, second: &Members, path: &str, losses: &mut Losses) {
    merge(first, second, path, losses, DEPTH);
}

fn merge(first: &mut Members, second: &Members, path: &str, losses: &mut Losses, depth: usize) {
    if closes_over(first, second) || closes_over(second, first) {
        losses.tell(
            path,
            "additionalProperties",
            "applies to properties that are defined beside it, which is not sent",
        );
    }
    for (key, value) in second.iter() {
        let Some(known) = first.get(key) else {
            first.push(key, value.clone());
            continue;
        };
        if known == value {
            continue;
        }
        match together(key, known, value, path, losses, depth) {
            Some(value) => first.set(key, value),
            None => losses.tell(path, key, "is given twice, and only the first is sent"),
        }
    }
}

/// Returns whether `closing` restricts further properties and `other` names a property that `closing` does
/// not name. After a merge the property is named, so the restriction would no longer apply to it.
fn closes_over(closing: &Members, other: &Members) -> bool {
    if closing.get("additionalProperties").is_none_or(|more| *more == Json::Bool(true)) {
        return false;
    }
    let none = Members::new();
    let own = closing.get("properties").and_then(Json::as_object).unwrap_or(&none);
    let own: BTreeSet<&str> = own.iter().map(|(name, _)| name).collect();
    let named = other.get("properties").and_then(Json::as_object).unwrap_or(&none);
    named.iter().any(|(name, _)| !own.contains(name))
}

fn together(
    key: &str,
    first: &Json,
    second: &Json,
    path: &str,
    losses: &mut Losses,
    depth: usize,
) -> Option<Json> {
    Some(match (key, first, second) {
        // The author wrote the outer texts for this position.
        ("description" | "title" | "default" | "examples" | "deprecated", _, _) => first.clone(),
        ("type", _, _) => {
            let kinds = intersect(&kinds_of(first), &kinds_of(second));
            if kinds.is_empty() {
                return None;
            }
            types(&kinds)
        }
        ("required", Json::Array(some), Json::Array(more)) => {
            let mut all = some.clone();
            all.extend(more.iter().filter(|name| !some.contains(name)).cloned());
            Json::Array(all)
        }
        ("enum", Json::Array(some), Json::Array(others)) => {
            let common: Vec<Json> = some.iter().filter(|value| others.contains(value)).cloned().collect();
            if common.is_empty() {
                return None;
            }
            Json::Array(common)
        }
        ("minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties", _, _) => {
            pick(first, second, |one, other| one >= other)
        }
        ("maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties", _, _) => {
            pick(first, second, |one, other| one <= other)
        }
        ("uniqueItems", _, _) => Json::Bool(true),
        ("additionalProperties", Json::Bool(true), other)
        | ("additionalProperties", other, Json::Bool(true)) => other.clone(),
        ("additionalProperties", Json::Bool(false), _) | ("additionalProperties", _, Json::Bool(false)) => {
            Json::Bool(false)
        }
        ("properties" | "patternProperties", Json::Object(some), Json::Object(more)) => {
            properties(some, more, path, losses, depth)
        }
        ("items" | "additionalProperties", _, _) => one(first, second, path, losses, depth)?,
        _ => return None,
    })
}

fn properties(some: &Members, more: &Members, path: &str, losses: &mut Losses, depth: usize) -> Json {
    let mut places: BTreeMap<&str, &Json> = more.iter().collect();
    let mut all = Members::new();
    for (name, schema) in some.iter() {
        match places.remove(name) {
            Some(other) if other != schema => {
                let merged = one(schema, other, path, losses, depth);
                if merged.is_none() {
                    losses.tell(path, name, "is described twice, and only the first is sent");
                }
                all.push(name, merged.unwrap_or_else(|| schema.clone()));
            }
            _ => all.push(name, schema.clone()),
        }
    }
    for (name, schema) in more.iter().filter(|(name, _)| places.contains_key(name)) {
        all.push(name, schema.clone());
    }
    Json::Object(all)
}

/// Merges two schemas of one property.
fn one(first: &Json, second: &Json, path: &str, losses: &mut Losses, depth: usize) -> Option<Json> {
    let depth = depth.checked_sub(1)?;
    if *second == Json::Bool(true) {
        return Some(first.clone());
    }
    let mut merged = mend(first, path, losses);
    let second = mend(second, path, losses);
    if merged.has("$ref") || second.has("$ref") {
        return None;
    }
    merge(&mut merged, &second, path, losses, depth);
    Some(Json::Object(merged))
}

fn pick(first: &Json, second: &Json, first_wins: fn(f64, f64) -> bool) -> Json {
    let wins = match (first.as_f64(), second.as_f64()) {
        (Some(one), Some(other)) => first_wins(one, other),
        _ => true,
    };
    if wins { first.clone() } else { second.clone() }
}

fn intersect(some: &[Kind], others: &[Kind]) -> Vec<Kind> {
    let meets = |kind: Kind| {
        if others.contains(&kind) {
            Some(kind)
        } else {
            match kind {
                Kind::Number if others.contains(&Kind::Integer) => Some(Kind::Integer),
                Kind::Integer if others.contains(&Kind::Number) => Some(Kind::Integer),
                _ => None,
            }
        }
    };
    some.iter().filter_map(|kind| meets(*kind)).collect()
}
