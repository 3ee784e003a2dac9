//! Comparison of messages by their encoded bytes.

use serde_json::Value;
use windlass_protocol::{Content, Message, Opaque, Part};

/// Returns whether two messages have the same encoding. Stricter than equality: the order of fields and the
/// sign of zero must match.
pub(crate) fn is_same(one: &Message, other: &Message) -> bool {
    one == other && values(one).zip(values(other)).all(|(one, other)| is_same_value(one, other))
}

/// Iterates over all JSON values that are encoded unchanged. The arguments of calls are texts and not
/// included.
fn values(message: &Message) -> impl Iterator<Item = &Value> {
    message.parts.iter().flat_map(|part| own(part).into_iter().chain(iter_opaque(part)))
}

fn own(part: &Part) -> Option<&Value> {
    let opaque = match part {
        Part::Text(text) => &text.opaque,
        Part::Image(image) => &image.opaque,
        Part::File(file) => &file.opaque,
        Part::Reasoning(reasoning) => &reasoning.opaque,
        Part::Call(call) => &call.opaque,
        Part::Result(result) => &result.opaque,
        Part::Unknown(unknown) => return Some(&unknown.value),
        _ => return None,
    };
    opaque.as_ref().map(|opaque: &Opaque| &opaque.value)
}

fn iter_opaque(part: &Part) -> impl Iterator<Item = &Value> {
    let content = match part {
        Part::Result(result) => result.content.as_slice(),
        _ => &[],
    };
    content.iter().filter_map(|content| match content {
        Content::Structured { value } => Some(value),
        Content::Image(image) => image.opaque.as_ref().map(|opaque| &opaque.value),
        _ => None,
    })
}

/// Compares the encoding of two equal values. Recursion is safe because the parser limits the depth of
/// values.
fn is_same_value(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.iter().zip(other).all(|(one, other)| is_same_value(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.iter().zip(other).all(|((name, one), (of, other))| name == of && is_same_value(one, other))
        }
        (Value::Number(one), Value::Number(other)) => {
            one.as_f64().map(f64::to_bits) == other.as_f64().map(f64::to_bits)
        }
        _ => true,
    }
}
