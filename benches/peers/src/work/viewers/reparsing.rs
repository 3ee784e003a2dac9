//! Peers that keep the text so far and parse all of it again at every delta.

use jiter::{JsonValue, PartialMode};
use serde_json::{Map, Value};

use super::{Seen, Viewer};

/// jiter, in the mode that keeps an unfinished string and borrows from the text.
#[derive(Default)]
pub(super) struct Jiter {
    text: String,
}

/// The value of a text that may be cut anywhere.
pub(crate) fn jiter_partial(text: &str) -> Option<JsonValue<'_>> {
    JsonValue::parse_with_config(text.as_bytes(), false, PartialMode::TrailingStrings).ok()
}

/// Keys of a jiter object, and the length of its `content`.
pub(crate) fn jiter_seen(value: &JsonValue<'_>) -> (usize, usize) {
    let JsonValue::Object(members) = value else { return (0, 0) };
    let content = members.iter().find(|(key, _)| key == "content").map_or(0, |(_, value)| match value {
        JsonValue::Str(text) => text.len(),
        _ => 0,
    });
    (members.len(), content)
}

impl Viewer for Jiter {
    fn push(&mut self, delta: &str) -> Option<Seen> {
        self.text.push_str(delta);
        let (keys, content) = jiter_seen(&jiter_partial(&self.text)?);
        Some(Seen { keys, content })
    }

    fn finish(self) -> Option<Value> {
        jiter_partial(&self.text).and_then(|value| value_of(&value))
    }
}

fn value_of(value: &JsonValue<'_>) -> Option<Value> {
    Some(match value {
        JsonValue::Null => Value::Null,
        JsonValue::Bool(value) => Value::from(*value),
        JsonValue::Int(value) => Value::from(*value),
        JsonValue::Float(value) => Value::from(*value),
        JsonValue::Str(value) => Value::from(value.as_ref()),
        JsonValue::Array(elements) => elements.iter().map(value_of).collect::<Option<Vec<_>>>()?.into(),
        JsonValue::Object(members) => {
            let member = |(key, value): &(std::borrow::Cow<'_, str>, JsonValue<'_>)| {
                Some((key.clone().into_owned(), value_of(value)?))
            };
            Value::Object(members.iter().map(member).collect::<Option<Map<_, _>>>()?)
        }
        // Integers beyond 64 bits are in no workload.
        JsonValue::BigInt(_) => return None,
    })
}

/// partial-json-fixer closes what is open, then `serde_json` reads the whole.
#[derive(Default)]
pub(super) struct Fixer {
    text: String,
}

impl Fixer {
    fn value(&self) -> Option<Value> {
        serde_json::from_str(&partial_json_fixer::fix_json(&self.text)).ok()
    }
}

impl Viewer for Fixer {
    fn push(&mut self, delta: &str) -> Option<Seen> {
        self.text.push_str(delta);
        self.value().as_ref().map(Seen::of)
    }

    fn finish(self) -> Option<Value> {
        self.value()
    }
}
