//! Anthropic Messages: named events that open, fill and close content blocks, or one message.

use serde_json::{Value, json};

use super::{Frames, Setting, call_id, finish, pieces, usage};
use crate::script::{ScriptCall, ScriptPart, Turn};

pub(super) fn stream(turn: &Turn, setting: Setting<'_>) -> Frames {
    let tokens = usage(turn, setting.request_bytes);
    let mut message = envelope(setting);
    message["usage"] = json!({"input_tokens": tokens.input, "output_tokens": 1});
    let mut frames = vec![
        event("message_start", &json!({"type": "message_start", "message": message})),
        event("ping", &json!({"type": "ping"})),
    ];
    let mut calls = 0;
    for (index, step) in turn.steps.iter().enumerate() {
        block(turn, setting, (index, &mut calls), step, &mut frames);
    }
    let open = frames.len();
    let delta = json!({"stop_reason": finish(turn, setting.format), "stop_sequence": null});
    let usage = json!({"output_tokens": tokens.output});
    frames.push(event("message_delta", &json!({"type": "message_delta", "delta": delta, "usage": usage})));
    frames.push(event("message_stop", &json!({"type": "message_stop"})));
    Frames { frames, open }
}

fn block(
    turn: &Turn,
    setting: Setting<'_>,
    (index, calls): (usize, &mut usize),
    step: &ScriptPart,
    frames: &mut Vec<Vec<u8>>,
) {
    let start = |block: Value| {
        event(
            "content_block_start",
            &json!({"type": "content_block_start", "index": index, "content_block": block}),
        )
    };
    let delta = |delta: Value| {
        event("content_block_delta", &json!({"type": "content_block_delta", "index": index, "delta": delta}))
    };
    match step {
        ScriptPart::Reasoning(text) => {
            frames.push(start(json!({"type": "thinking", "thinking": "", "signature": ""})));
            let piece = |piece| delta(json!({"type": "thinking_delta", "thinking": piece}));
            frames.extend(pieces(text, turn.piece).map(piece));
            frames.push(delta(
                json!({"type": "signature_delta", "signature": signature(setting.number, index)}),
            ));
        }
        ScriptPart::Text(text) => {
            frames.push(start(json!({"type": "text", "text": ""})));
            let piece = |piece| delta(json!({"type": "text_delta", "text": piece}));
            frames.extend(pieces(text, turn.piece).map(piece));
        }
        ScriptPart::Call(call) => {
            frames.push(start(tool_use(call, setting, *calls, &json!({}))));
            frames.push(delta(json!({"type": "input_json_delta", "partial_json": ""})));
            let piece = |piece| delta(json!({"type": "input_json_delta", "partial_json": piece}));
            frames.extend(pieces(&call.arguments_text(), turn.piece).map(piece));
            *calls = calls.saturating_add(1);
        }
    }
    frames.push(event("content_block_stop", &json!({"type": "content_block_stop", "index": index})));
}

pub(super) fn whole(turn: &Turn, setting: Setting<'_>) -> Value {
    let mut calls = 0;
    let mut content = Vec::with_capacity(turn.steps.len());
    for (index, step) in turn.steps.iter().enumerate() {
        content.push(match step {
            ScriptPart::Reasoning(text) => {
                json!({"type": "thinking", "thinking": text, "signature": signature(setting.number, index)})
            }
            ScriptPart::Text(text) => json!({"type": "text", "text": text}),
            ScriptPart::Call(call) => {
                // The input of a whole message is a JSON value, so text that is not JSON is sent as a string.
                let text = call.arguments_text();
                let input = serde_json::from_str(&text).unwrap_or(Value::String(text));
                calls = 1_usize.saturating_add(calls);
                tool_use(call, setting, calls.saturating_sub(1), &input)
            }
        });
    }
    let tokens = usage(turn, setting.request_bytes);
    let mut message = envelope(setting);
    message["content"] = content.into();
    message["stop_reason"] = finish(turn, setting.format).into();
    message["usage"] = json!({"input_tokens": tokens.input, "output_tokens": tokens.output});
    message
}

fn envelope(setting: Setting<'_>) -> Value {
    json!({
        "id": format!("msg_{}", setting.number), "type": "message", "role": "assistant", "model": setting.model,
        "content": [], "stop_reason": null, "stop_sequence": null,
    })
}

fn tool_use(call: &ScriptCall, setting: Setting<'_>, place: usize, input: &Value) -> Value {
    let id = call_id(call.id.as_deref(), setting.format, setting.number, place);
    json!({"type": "tool_use", "id": id, "name": call.name, "input": input})
}

fn signature(number: usize, index: usize) -> String {
    format!("signature_{number}_{index}")
}

fn event(name: &str, data: &Value) -> Vec<u8> {
    format!("event: {name}\ndata: {data}\n\n").into_bytes()
}
