//! Peers that store the text and parse all of it again at every delta.

use jiter::JsonValue;
use serde_json::{Map, Value};

use super::{Observation, Viewer};
use crate::work::jiter_partial::{keys_and_content, parse};

/// jiter, in the mode that keeps an unfinished string and borrows from the text.
#[derive(Default)]
pub(super) struct Jiter {
    text: String,
}

impl Viewer for Jiter {
    fn push(&mut self, delta: &str) -> Option<Observation> {
        self.text.push_str(delta);
        let (keys, content) = keys_and_content(&parse(&self.text)?);
        Some(Observation { keys, content })
    }

    fn finish(self) -> Option<Value> {
        parse(&self.text).and_then(|value| value_of(&value))
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
        // Integers beyond 64 bits do not occur in the workloads.
        JsonValue::BigInt(_) => return None,
    })
}

/// partial-json-fixer closes open values, then `serde_json` parses the whole text.
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
    fn push(&mut self, delta: &str) -> Option<Observation> {
        self.text.push_str(delta);
        self.value().as_ref().map(Observation::from_value)
    }

    fn finish(self) -> Option<Value> {
        self.value()
    }
}
