//! The keywords of objects.

use serde_json::{Map, Value};

use super::super::super::Scope;
use super::{At, Check, Limits, Words};
use crate::violation::{Violation, list_names, properties};

impl<'a> Check<'a> {
    /// Appends the violations of a keyword that concerns the members of an object.
    pub(super) fn object(
        &self,
        keyword: &str,
        wanted: &'a Value,
        members: &'a Map<String, Value>,
        at: &mut At<'a, '_>,
        found: &mut Vec<Violation>,
    ) {
        match (keyword, wanted) {
            // A missing argument may still arrive.
            ("required", _) if self.scope == Scope::OneArgument && at.path.is_empty() => {}
            ("required", Value::Array(names)) => missing(names, members, at, found),
            ("properties", Value::Object(schemas)) => {
                for (name, schema) in schemas {
                    if let Some(member) = members.get(name) {
                        self.check_child(schema, member, name, at, found);
                    }
                }
            }
            ("patternProperties", Value::Object(schemas)) => {
                for (pattern, schema) in schemas {
                    for (name, member) in members.iter().filter(|(name, _)| self.matches(pattern, name)) {
                        self.check_child(schema, member, name, at, found);
                    }
                }
            }
            ("additionalProperties", schema) => self.additional(schema, members, at, found),
            ("unevaluatedProperties", schema) if !self.is_reference_alone => {
                self.check_unevaluated_properties(schema, members, at, found);
            }
            ("propertyNames", schema) => self.names(schema, members, at, found),
            ("dependentRequired" | "dependentSchemas" | "dependencies", Value::Object(dependents)) => {
                for (_, wanted) in dependents.iter().filter(|(name, _)| members.contains_key(*name)) {
                    match wanted {
                        Value::Array(names) => missing(names, members, at, found),
                        schema => self.apply(schema, at.value, at.path, at.limits, found),
                    }
                }
            }
            _ => {}
        }
    }

    fn additional(
        &self,
        schema: &'a Value,
        members: &'a Map<String, Value>,
        at: &mut At<'a, '_>,
        found: &mut Vec<Violation>,
    ) {
        let known = at.keywords.get("properties").and_then(Value::as_object);
        let patterns = at.keywords.get("patternProperties").and_then(Value::as_object);
        let is_known = |name: &str| {
            known.is_some_and(|known| known.contains_key(name))
                || patterns.is_some_and(|all| all.keys().any(|pattern| self.matches(pattern, name)))
        };
        let unknown: Vec<_> = members.iter().filter(|(name, _)| !is_known(name)).collect();
        if schema != &Value::Bool(false) {
            for (name, member) in unknown {
                self.check_child(schema, member, name, at, found);
            }
        } else if !unknown.is_empty() {
            let words = at.limits.words;
            let names: Vec<String> = match words {
                Words::Full => unknown.into_iter().map(|(name, _)| name.clone()).collect(),
                Words::None => Vec::new(),
            };
            let met = words.render(|| format!("the unknown {}", list_names(&names)));
            let wanted = words.render(|| properties(known, Some(members), &names));
            found.push(Violation::new(at.path.clone(), met, wanted));
        }
    }

    /// Checks the names of members. The names are not part of the value, so they are copied.
    fn names(
        &self,
        schema: &Value,
        members: &Map<String, Value>,
        at: &At<'a, '_>,
        found: &mut Vec<Violation>,
    ) {
        for name in members.keys() {
            if at.has_enough(found) {
                return;
            }
            let name = Value::from(name.as_str());
            let check = Check {
                root: self.root,
                patterns: self.patterns,
                is_reference_alone: self.is_reference_alone,
                scope: Scope::Whole,
                applied: self.applied,
            };
            let mut inner = Vec::new();
            check.apply(schema, &name, &mut String::new(), Limits { most: 1, ..at.limits }, &mut inner);
            let wrong = inner.into_iter();
            found.extend(wrong.map(|one| Violation { path: at.path.clone(), ..one }));
        }
    }
}

/// Appends a violation for each required name that an object lacks, up to the maximum number of violations.
fn missing(names: &[Value], members: &Map<String, Value>, at: &At<'_, '_>, found: &mut Vec<Violation>) {
    for name in names.iter().filter_map(Value::as_str).filter(|name| !members.contains_key(*name)) {
        if at.has_enough(found) {
            return;
        }
        let words = at.limits.words;
        let (met, wanted) =
            (words.render(|| format!("no `{name}`")), words.render(|| format!("the required `{name}`")));
        found.push(Violation::new(at.path.clone(), met, wanted));
    }
}
