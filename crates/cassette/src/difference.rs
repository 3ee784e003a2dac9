//! Differences between a replayed run and the recorded one.

use std::fmt;

use serde_json::Value;

use crate::line::Body;
use crate::recorded::is_recorded;

/// A place where a replayed run differs from the recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// Description of the difference.
    pub what: String,
}

impl Difference {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }

    /// Returns the difference between two bodies, named by the first path at which they differ.
    pub(crate) fn compare_bodies(exchange: u64, recorded: &Body, asked: &Body) -> Self {
        let place = match (recorded, asked) {
            (Body::Json(recorded), Body::Json(asked)) => first_difference(recorded, asked),
            _ => None,
        };
        Self::new(match place {
            Some((path, recorded, asked)) => {
                format!("request {exchange} differs at {path}: recorded {recorded}, now {asked}")
            }
            None => format!("request {exchange} differs from the request of this run"),
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// Returns true if a body equals the recorded one, apart from redacted secrets.
pub(crate) fn is_same(recorded: &Body, asked: &Body) -> bool {
    match (recorded, asked) {
        (Body::Json(recorded), Body::Json(asked)) => first_difference(recorded, asked).is_none(),
        (Body::Text(recorded), Body::Text(asked)) => is_recorded(recorded, asked),
        (recorded, asked) => recorded == asked,
    }
}

/// Returns the path of the first difference and the values on both sides.
fn first_difference(recorded: &Value, asked: &Value) -> Option<(String, String, String)> {
    // Uses an explicit stack, so that the depth of a body cannot overflow the call stack.
    let mut waiting = vec![("body".to_owned(), Some(recorded), Some(asked))];
    while let Some((path, recorded, asked)) = waiting.pop() {
        match (recorded, asked) {
            (Some(Value::Object(left)), Some(Value::Object(right))) => {
                let mut keys: Vec<&String> = left.keys().chain(right.keys()).collect();
                keys.sort_unstable();
                keys.dedup();
                // The stack pops from its end, so push the keys in reverse order.
                waiting.extend(
                    keys.into_iter()
                        .rev()
                        .map(|key| (format!("{path}.{key}"), left.get(key), right.get(key))),
                );
            }
            (Some(Value::Array(left)), Some(Value::Array(right))) => {
                let most = left.len().max(right.len());
                waiting
                    .extend((0..most).rev().map(|at| (format!("{path}[{at}]"), left.get(at), right.get(at))));
            }
            (Some(Value::String(left)), Some(Value::String(right))) if is_recorded(left, right) => {}
            (left, right) if left == right => {}
            (left, right) => return Some((path, show(left), show(right))),
        }
    }
    None
}

fn show(value: Option<&Value>) -> String {
    const MOST: usize = 200;
    let Some(value) = value else { return "nothing".to_owned() };
    let text = value.to_string();
    let count = text.chars().count();
    if count <= MOST {
        return text;
    }
    let beginning: String = text.chars().take(MOST).collect();
    format!("{beginning}… ({count} characters)")
}

#[cfg(test)]
mod tests {
    //! A difference is named by its place.

    use serde_json::{Value, json};

    use super::first_difference;

    fn check(left: &Value, right: &Value, expected: Option<(&str, &str, &str)>) {
        let found = first_difference(left, right);
        let found = found.as_ref().map(|(path, left, right)| (path.as_str(), left.as_str(), right.as_str()));
        assert_eq!(found, expected);
    }

    #[test]
    fn the_first_place_is_named_with_both_sides() {
        check(&json!({"a": [1, {"b": 2}]}), &json!({"a": [1, {"b": 2}]}), None);
        check(&json!({"a": [1, {"b": 2}]}), &json!({"a": [1, {"b": 3}]}), Some(("body.a[1].b", "2", "3")));
        check(&json!({"a": [1]}), &json!({"a": [1, "x"]}), Some(("body.a[1]", "nothing", "\"x\"")));
        check(&json!({"a": 1, "b": 1}), &json!({"b": 2}), Some(("body.a", "1", "nothing")));
        check(&json!([1]), &json!({"a": 1}), Some(("body", "[1]", "{\"a\":1}")));
    }
}
