//! Translation of the keywords of OpenAPI 3.0 to JSON Schema.

use crate::node::{Members, Node};

/// Translates the boolean `exclusiveMinimum` and `exclusiveMaximum` of 3.0, and removes names of properties that were
/// left out from `required`.
pub(super) fn translate_bounds(members: &Members, written: &mut Members) {
    for (exclusive, inclusive) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if members.get(exclusive) == Some(&Node::Bool(true))
            && let Some(bound) = written.shift_remove(inclusive)
        {
            written.insert(exclusive.to_owned(), bound);
        }
    }
    // JSON Schema wants whole numbers that are not negative for lengths.
    for length in ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"] {
        if let Some(Node::Number(number)) = written.get(length)
            && !number.is_u64()
        {
            written.shift_remove(length);
        }
    }
    let is_left_out = |name: &Node| {
        let schema = name.as_str().and_then(|name| members.get("properties")?.get(name));
        schema.is_some_and(|schema| schema.is_set("readOnly"))
    };
    if let Some(Node::List(names)) = written.get_mut("required") {
        names.retain(|name| !is_left_out(name));
    }
}

/// Accepts null in addition.
pub(super) fn with_null(mut members: Members) -> Node {
    let null = Node::text("null");
    let is_combined = ["$ref", "allOf", "anyOf", "oneOf", "not"].iter().any(|key| members.contains_key(*key));
    if is_combined {
        let choices = vec![Node::map(members), Node::map_of("type", null)];
        return Node::map_of("anyOf", Node::List(choices));
    }
    match members.get_mut("type") {
        Some(kind @ Node::Text(_)) if *kind != null => {
            *kind = Node::List(vec![kind.clone(), null]);
        }
        Some(Node::List(words)) if !words.contains(&null) => words.push(null),
        _ => {}
    }
    if let Some(Node::List(values)) = members.get_mut("enum")
        && !values.contains(&Node::Null)
    {
        values.push(Node::Null);
    }
    Node::map(members)
}
