//! The fields of a request that only its own format has.

use serde_json::{Map, Value};
use windlass_protocol::Request;
use windlass_wire::{FieldFate, FieldRule};

use crate::effect::{has_effect, includes_probabilities};

/// Returns whether a request with a field of this fate is refused. A store removes the fields that it acts on.
fn is_refusal(fate: FieldFate) -> bool {
    matches!(fate, FieldFate::Refused | FieldFate::Stored)
}

/// Returns the first field that another format's provider must not answer without.
pub(crate) fn find_refused(rules: &[FieldRule], request: &Request) -> Option<&'static str> {
    let extra = &request.options.extra;
    if extra.is_empty() {
        return None;
    }
    let value = |field: &str| match field.split_once('.') {
        Some((outer, inner)) => extra.get(outer)?.get(inner),
        None => extra.get(field),
    };
    let is_refused = |rule: &&FieldRule| {
        let name = rule.field.rsplit('.').next().unwrap_or(rule.field);
        let Some(value) = value(rule.field) else { return false };
        is_refusal(rule.fate) && has_effect(name, value, request)
            || name == "include" && includes_probabilities(value)
    };
    rules.iter().find(is_refused).map(|rule| rule.field)
}

/// Returns the names of fields that are left out. For an object with a rule for one of its fields, these are the
/// names of its fields. A field with a value that has no effect, such as the default of its API, is not named.
pub(crate) fn names(rules: &[FieldRule], extra: Map<String, Value>, request: &Request) -> Vec<String> {
    let is_idle = |path: &str, name: &str, value: &Value| {
        let rule = rules.iter().find(|rule| rule.field == path);
        let can_be_idle = rule.is_some_and(|rule| is_refusal(rule.fate) || rule.fate == FieldFate::Lenient);
        value.is_null() || can_be_idle && !has_effect(name, value, request)
    };
    let has_inner = |name: &str| {
        rules.iter().any(|rule| rule.field.split_once('.').is_some_and(|(outer, _)| outer == name))
    };
    let mut names = Vec::new();
    for (name, value) in extra {
        match value {
            Value::Object(fields) if has_inner(&name) => {
                let inner = fields
                    .into_iter()
                    .filter(|(field, value)| !is_idle(&format!("{name}.{field}"), field, value));
                names.extend(inner.map(|(field, _)| field));
            }
            value if is_idle(&name, &name, &value) => {}
            _ => names.push(name),
        }
    }
    names
}
