//! The values of fields that change an answer: defaults of the APIs do not, and a conversation can make a setting idle.

use serde_json::Value;
use windlass_protocol::{Message, Part, Request};
use windlass_wire::FieldEffect;

/// Bytes of a conversation for one token.
const BYTES_PER_TOKEN: usize = 4;
/// The input tokens from which Anthropic's API clears results of tools, by default.
const CLEARS_FROM: u64 = 100_000;
/// The input tokens from which Anthropic's API compacts a conversation, by default.
const COMPACTS_FROM: u64 = 150_000;

/// Returns whether the value of a field changes the answer to a request.
pub(crate) fn has_effect(effect: FieldEffect, value: &Value, request: &Request) -> bool {
    match (effect, value) {
        (FieldEffect::Unless(usual), _) => is_set(value) && value != usual,
        (FieldEffect::Member { name, unless }, Value::Object(fields)) => {
            fields.get(name).is_some_and(|value| value != unless)
        }
        (FieldEffect::Object, Value::Object(_)) => true,
        (FieldEffect::Item(item), _) => {
            value.as_array().is_some_and(|list| list.iter().any(|value| value == item))
        }
        (FieldEffect::Several, Value::Number(number)) => number.as_u64() != Some(1),
        (FieldEffect::OtherThanText, Value::Array(list)) => !is_text_only(list),
        (FieldEffect::DueEdits, _) => edits_conversation(value, request),
        (FieldEffect::WithMedia { unless }, _) => value != unless && request.messages.iter().any(has_media),
        (FieldEffect::Filters, Value::Array(settings)) => settings.iter().any(demands_filter),
        _ => is_set(value),
    }
}

/// Returns true if the requested edits of the conversation (context management) would change the conversation of this
/// request. Anthropic's API has an object of edits, and OpenAI's has a list.
fn edits_conversation(value: &Value, request: &Request) -> bool {
    match value.get("edits").unwrap_or(value) {
        Value::Array(edits) => edits.iter().any(|edit| is_due(edit, request)),
        other => is_set(other),
    }
}

fn is_set(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) => true,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

fn is_text_only(list: &[Value]) -> bool {
    list.iter().all(|kind| kind.as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("text")))
}

/// Returns whether a setting demands a filter. Providers of other formats lack this API's filters, so a setting
/// that switches one off is met.
fn demands_filter(setting: &Value) -> bool {
    let threshold = setting.get("threshold").and_then(Value::as_str).unwrap_or_default();
    !matches!(threshold, "BLOCK_NONE" | "OFF" | "HARM_BLOCK_THRESHOLD_UNSPECIFIED")
}

fn has_media(message: &Message) -> bool {
    message.parts.iter().any(|part| match part {
        Part::Image(_) | Part::File(_) | Part::Unknown(_) => true,
        Part::Result(result) => result.images().next().is_some(),
        _ => false,
    })
}

/// Returns whether an edit of a conversation by its API changes this one. A cleared thought never reaches another format, and
/// an edit below its trigger does nothing.
fn is_due(edit: &Value, request: &Request) -> bool {
    let kind = edit.get("type").and_then(Value::as_str).unwrap_or_default();
    let from = if kind.starts_with("clear_thinking") {
        return false;
    } else if kind.starts_with("clear_tool_uses") {
        CLEARS_FROM
    } else if kind.starts_with("compact") {
        COMPACTS_FROM
    } else {
        return true;
    };
    let trigger = edit.get("trigger");
    let value = edit.get("compact_threshold").or_else(|| trigger?.get("value"));
    let value = value.and_then(Value::as_u64).unwrap_or(from);
    let size = match trigger.and_then(|trigger| trigger.get("type")).and_then(Value::as_str) {
        Some("tool_uses") => request.messages.iter().flat_map(Message::calls).count(),
        Some("input_tokens") | None => {
            let bytes = |message: &Message| serde_json::to_vec(message).map_or(0, |json| json.len());
            let sum = request.messages.iter().map(bytes).fold(0, usize::saturating_add);
            sum.div_ceil(BYTES_PER_TOKEN)
        }
        Some(_) => return true,
    };
    u64::try_from(size).unwrap_or(u64::MAX) >= value
}

#[cfg(test)]
mod tests;
