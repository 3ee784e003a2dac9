//! OpenAI Responses: named and numbered events that add, fill and end items, or one response.

use serde_json::{Value, json};

use super::{Frames, Setting, call_id, finish, pieces, usage};
use crate::script::{CallForm, ScriptCall, ScriptPart, Turn};

/// The events of one stream, with their sequence numbers.
#[derive(Default)]
struct Events(Vec<Vec<u8>>);

impl Events {
    fn push(&mut self, kind: &str, mut fields: Value) {
        fields["type"] = format!("response.{kind}").into();
        fields["sequence_number"] = self.0.len().into();
        self.0.push(format!("event: response.{kind}\ndata: {fields}\n\n").into_bytes());
    }
}

pub(super) fn stream(turn: &Turn, setting: Setting<'_>) -> Frames {
    let mut events = Events::default();
    let begun = response(setting, "in_progress", &json!([]));
    events.push("created", json!({ "response": begun }));
    events.push("in_progress", json!({ "response": begun }));
    let items = items(turn, setting);
    for ((index, step), item) in turn.steps.iter().enumerate().zip(&items) {
        grow(turn, (index, step), item, &mut events);
    }
    let open = events.0.len();
    let end = render_end(turn, setting, &items);
    let kind = if end["status"] == "completed" { "completed" } else { "incomplete" };
    events.push(kind, json!({ "response": end }));
    Frames { frames: events.0, open }
}

pub(crate) fn whole(turn: &Turn, setting: Setting<'_>) -> Value {
    render_end(turn, setting, &items(turn, setting))
}

/// Renders an error as an event.
pub(super) fn error_event(error: &Value) -> Vec<u8> {
    let event = json!({ "type": "error", "error": error["error"] });
    format!("event: error\ndata: {event}\n\n").into_bytes()
}

/// Appends the events of one item: the empty item, its content in pieces, and the complete item.
fn grow(turn: &Turn, (index, step): (usize, &ScriptPart), item: &Value, events: &mut Events) {
    if matches!(step, ScriptPart::Call(call) if call.form == CallForm::Search) {
        // A search has no events for its arguments.
        events.push("output_item.added", json!({ "output_index": index, "item": item }));
        return events.push("output_item.done", json!({ "output_index": index, "item": item }));
    }
    let (field, empty) = match step {
        ScriptPart::Reasoning(_) => ("summary", json!([])),
        ScriptPart::Text(_) => ("content", json!([])),
        ScriptPart::Call(call) => (body_field(call), json!("")),
    };
    let mut begun = item.clone();
    begun[field] = empty;
    begun["status"] = "in_progress".into();
    events.push("output_item.added", json!({ "output_index": index, "item": begun }));
    let place = json!({ "item_id": item["id"], "output_index": index });
    let with = |name: &str, more: Value| {
        let mut fields = place.clone();
        fields[name] = more;
        fields
    };
    let (kind, place_in_item, text) = match step {
        ScriptPart::Reasoning(text) => ("reasoning_summary_text", Some("summary_index"), text.clone()),
        ScriptPart::Text(text) => ("output_text", Some("content_index"), text.clone()),
        ScriptPart::Call(call) if call.custom => ("custom_tool_call_input", None, call.input_text()),
        ScriptPart::Call(call) => ("function_call_arguments", None, call.arguments_text()),
    };
    let placed = |name: &str, more: Value| {
        let mut fields = with(name, more);
        if let Some(name) = place_in_item {
            fields[name] = 0.into();
        }
        fields
    };
    // Text and reasoning are in parts of their item, with their own start and end events.
    let part = |text: &str| match step {
        ScriptPart::Reasoning(_) => {
            Some(("reasoning_summary_part", json!({"type": "summary_text", "text": text})))
        }
        ScriptPart::Text(_) => {
            Some(("content_part", json!({"type": "output_text", "text": text, "annotations": []})))
        }
        ScriptPart::Call(_) => None,
    };
    if let Some((kind, part)) = part("") {
        events.push(&format!("{kind}.added"), placed("part", part));
    }
    for piece in pieces(&text, turn.piece) {
        events.push(&format!("{kind}.delta"), placed("delta", piece.into()));
    }
    let whole = match step {
        ScriptPart::Call(call) => body_field(call),
        ScriptPart::Reasoning(_) | ScriptPart::Text(_) => "text",
    };
    events.push(&format!("{kind}.done"), placed(whole, text.clone().into()));
    if let Some((kind, part)) = part(&text) {
        events.push(&format!("{kind}.done"), placed("part", part));
    }
    events.push("output_item.done", json!({ "output_index": index, "item": item }));
}

/// Returns the field with the body of a call.
fn body_field(call: &ScriptCall) -> &'static str {
    if call.custom { "input" } else { "arguments" }
}

/// Returns the items of the response. The last one is incomplete if the response is.
fn items(turn: &Turn, setting: Setting<'_>) -> Vec<Value> {
    let mut calls = 0;
    let mut items: Vec<Value> = Vec::with_capacity(turn.steps.len());
    for (index, step) in turn.steps.iter().enumerate() {
        let id = |prefix: &str| format!("{prefix}_{}_{index}", setting.number);
        items.push(match step {
            ScriptPart::Reasoning(text) => json!({
                "type": "reasoning", "id": id("rs"), "encrypted_content": id("cipher"),
                "summary": [{"type": "summary_text", "text": text}],
            }),
            ScriptPart::Text(text) => json!({
                "type": "message", "id": id("msg"), "status": "completed", "role": "assistant",
                "content": [{"type": "output_text", "text": text, "annotations": []}],
            }),
            ScriptPart::Call(call) => {
                let call_id = call_id(call.id.as_deref(), setting.format, setting.number, calls);
                calls = calls.saturating_add(1);
                render_call(call, &call_id, id)
            }
        });
    }
    if let (Some(last), Some(_)) = (items.last_mut(), incomplete(turn, setting)) {
        last["status"] = "incomplete".into();
    }
    items
}

fn render_call(call: &ScriptCall, call_id: &str, id: impl Fn(&str) -> String) -> Value {
    if call.form == CallForm::Search {
        let arguments: Value = serde_json::from_str(&call.arguments_text()).unwrap_or_default();
        return json!({
            "type": "tool_search_call", "id": id("tsc"), "status": "completed", "call_id": call_id,
            "execution": "client", "arguments": arguments,
        });
    }
    let (kind, prefix, body) = if call.custom {
        ("custom_tool_call", "ctc", call.input_text())
    } else {
        ("function_call", "fc", call.arguments_text())
    };
    let mut item = json!({
        "type": kind, "id": id(prefix), "status": "completed", "call_id": call_id,
        "name": call.name, (body_field(call)): body,
    });
    if let CallForm::Namespaced(namespace) = &call.form {
        item["namespace"] = namespace.as_str().into();
    }
    item
}

/// Returns the API's reason for an incomplete response.
fn incomplete<'a>(turn: &'a Turn, setting: Setting<'_>) -> Option<&'a str> {
    match finish(turn, setting.format) {
        "stop" | "tool_calls" => None,
        "length" => Some("max_output_tokens"),
        other => Some(other),
    }
}

fn render_end(turn: &Turn, setting: Setting<'_>, items: &[Value]) -> Value {
    let reason = incomplete(turn, setting);
    let status = if reason.is_some() { "incomplete" } else { "completed" };
    let mut response = response(setting, status, &json!(items));
    if let Some(reason) = reason {
        response["incomplete_details"] = json!({ "reason": reason });
    }
    let tokens = usage(turn, setting.request_bytes);
    let total = tokens.input.saturating_add(tokens.output);
    response["usage"] =
        json!({"input_tokens": tokens.input, "output_tokens": tokens.output, "total_tokens": total});
    response
}

fn response(setting: Setting<'_>, status: &str, output: &Value) -> Value {
    json!({
        "id": setting.response_id, "object": "response", "created_at": 0, "model": setting.model,
        "status": status, "error": null, "incomplete_details": null, "output": output, "usage": null,
    })
}
