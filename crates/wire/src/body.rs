//! The fields of a request's body, in the order in which they are written.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Puts a request's further fields into a body: each takes the place of the computed field of its name, the
/// others stand before the last field, by name. The last field is the messages, so that the bytes of a
/// conversation that goes on begin with the bytes of the turn before (RULES N6).
///
/// ```
/// let extra = serde_json::json!({ "seed": 7, "stream": false });
/// let fields = vec![("stream", "true".to_owned()), ("messages", "[]".to_owned())];
/// let merged = windlass_wire::with_extra(fields, extra.as_object().unwrap(), |value| value.to_string());
/// assert_eq!(merged.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["stream", "seed", "messages"]);
/// assert_eq!(merged[0].1, "false");
/// ```
pub fn with_extra<'a, F>(
    fields: Vec<(&'a str, F)>,
    extra: &'a Map<String, Value>,
    field: impl Fn(&'a Value) -> F,
) -> Vec<(&'a str, F)> {
    // The map's own order can change with a feature of another crate.
    let mut extra: BTreeMap<&str, &Value> =
        extra.iter().map(|(name, value)| (name.as_str(), value)).collect();
    let mut merged: Vec<(&str, F)> = fields
        .into_iter()
        .map(|(name, computed)| match extra.remove(name) {
            Some(value) => (name, field(value)),
            None => (name, computed),
        })
        .collect();
    let last = merged.pop();
    merged.extend(extra.into_iter().map(|(name, value)| (name, field(value))));
    merged.extend(last);
    merged
}
