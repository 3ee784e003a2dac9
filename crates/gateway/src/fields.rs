//! The fields of a request that only its own format has.

mod effect;

use serde_json::{Map, Value};
use windlass_protocol::Request;
use windlass_wire::{FieldEffect, FieldFate, FieldRule, Server};

use crate::loss::Loss;
use effect::has_effect;

/// Returns whether a request with a field of this fate is refused. A store removes the fields that it acts on.
fn is_refusal(fate: FieldFate) -> bool {
    matches!(fate, FieldFate::Refused | FieldFate::Stored)
}

/// Returns the first field without which a provider of another format would give a different answer, so that the
/// request is refused.
pub(crate) fn find_refused(from: &dyn Server, request: &Request) -> Option<&'static str> {
    let extra = &request.options.extra;
    if extra.is_empty() {
        return None;
    }
    let value = |field: &str| match field.split_once('.') {
        Some((outer, inner)) => extra.get(outer)?.get(inner),
        None => extra.get(field),
    };
    let is_refused = |rule: &&FieldRule| {
        let is_refused_for_some = rule.fate == FieldFate::LeftOut && rule.effect != FieldEffect::Set;
        let can_be_refused = is_refusal(rule.fate) || is_refused_for_some;
        let has_effect = |value| has_effect(rule.effect, value, request);
        can_be_refused && value(rule.field).is_some_and(has_effect)
    };
    from.field_rules().iter().find(is_refused).map(|rule| rule.field)
}

/// Returns the fields that are left out. For an object with a rule for one of its fields, these are its fields. A field with a
/// value that has no effect, such as the default of its API, is not one of them.
pub(crate) fn find_losses(from: &dyn Server, extra: &Map<String, Value>, request: &Request) -> Vec<Loss> {
    let rules = from.field_rules();
    let is_idle = |path: &str, value: &Value| {
        let rule = rules.iter().find(|rule| rule.field == path);
        let can_be_idle = |rule: &&FieldRule| is_refusal(rule.fate) || rule.fate == FieldFate::Lenient;
        value.is_null()
            || rule.filter(can_be_idle).is_some_and(|rule| !has_effect(rule.effect, value, request))
    };
    let has_inner = |name: &str| {
        rules.iter().any(|rule| rule.field.split_once('.').is_some_and(|(outer, _)| outer == name))
    };
    let mut losses = Vec::new();
    for (name, value) in extra {
        match value {
            Value::Object(fields) if has_inner(name) => {
                let paths = fields.iter().map(|(field, value)| (format!("{name}.{field}"), value));
                let inner = paths.filter(|(path, value)| !is_idle(path, value));
                losses.extend(inner.map(|(path, _)| Loss::field(from, &path)));
            }
            value if is_idle(name, value) => {}
            _ => losses.push(Loss::field(from, name)),
        }
    }
    losses
}
