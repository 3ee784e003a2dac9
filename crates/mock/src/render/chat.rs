//! OpenAI Chat Completions: chunks with deltas, or one completion.

use serde_json::{Value, json};

use super::{Frames, Setting, StreamUsage, call_id, finish, pieces, usage};
use crate::script::{ScriptCall, ScriptPart, Turn};

pub(super) fn stream(turn: &Turn, setting: Setting<'_>) -> Frames {
    let mut frames = Vec::new();
    let mut delta = |delta: Value| frames.push(chunk(setting, &json!([choice(&delta, None)]), None));
    delta(json!({"role": "assistant", "content": ""}));
    let mut calls = 0;
    for step in &turn.steps {
        match step {
            ScriptPart::Reasoning(text) => {
                pieces(text, turn.piece).for_each(|piece| delta(json!({"reasoning_content": piece})));
            }
            ScriptPart::Text(text) => {
                pieces(text, turn.piece).for_each(|piece| delta(json!({"content": piece})));
            }
            ScriptPart::Call(call) => {
                let id = call_id(call.id.as_deref(), setting.format, setting.number, calls);
                let (kind, field, text) = body(call);
                let start = json!({"name": call.name, (field): ""});
                delta(json!({"tool_calls": [{"index": calls, "id": id, "type": kind, (kind): start}]}));
                for piece in pieces(&text, turn.piece) {
                    delta(json!({"tool_calls": [{"index": calls, (kind): {(field): piece}}]}));
                }
                calls = calls.saturating_add(1);
            }
        }
    }
    let open = frames.len();
    let last = choice(&json!({}), Some(finish(turn, setting.format)));
    frames.push(chunk(setting, &json!([last]), None));
    if setting.stream_usage == StreamUsage::Tell {
        frames.push(chunk(setting, &json!([]), Some(tokens(turn, setting))));
    }
    frames.push(b"data: [DONE]\n\n".to_vec());
    Frames { frames, open }
}

pub(super) fn whole(turn: &Turn, setting: Setting<'_>) -> Value {
    let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
    for step in &turn.steps {
        match step {
            ScriptPart::Reasoning(more) => reasoning.push_str(more),
            ScriptPart::Text(more) => text.push_str(more),
            ScriptPart::Call(call) => {
                let id = call_id(call.id.as_deref(), setting.format, setting.number, calls.len());
                let (kind, field, text) = body(call);
                calls.push(json!({"id": id, "type": kind, (kind): {"name": call.name, (field): text}}));
            }
        }
    }
    let mut message = json!({"role": "assistant", "content": null});
    if !text.is_empty() {
        message["content"] = text.into();
    }
    if !reasoning.is_empty() {
        message["reasoning_content"] = reasoning.into();
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    json!({
        "id": format!("chatcmpl-{}", setting.number), "object": "chat.completion", "created": 0,
        "model": setting.model, "usage": tokens(turn, setting),
        "choices": [{"index": 0, "message": message, "finish_reason": finish(turn, setting.format)}],
    })
}

/// Returns the kind of a call, and the name and the text of its body.
fn body(call: &ScriptCall) -> (&'static str, &'static str, String) {
    if call.custom {
        return ("custom", "input", call.input_text());
    }
    ("function", "arguments", call.arguments_text())
}

fn choice(delta: &Value, finish: Option<&str>) -> Value {
    json!({"index": 0, "delta": delta, "finish_reason": finish})
}

fn chunk(setting: Setting<'_>, choices: &Value, usage: Option<Value>) -> Vec<u8> {
    let mut chunk = json!({
        "id": format!("chatcmpl-{}", setting.number), "object": "chat.completion.chunk", "created": 0,
        "model": setting.model, "choices": choices,
    });
    if let Some(usage) = usage {
        chunk["usage"] = usage;
    }
    format!("data: {chunk}\n\n").into_bytes()
}

fn tokens(turn: &Turn, setting: Setting<'_>) -> Value {
    let usage = usage(turn, setting.request_bytes);
    let total = usage.input.saturating_add(usage.output);
    json!({"prompt_tokens": usage.input, "completion_tokens": usage.output, "total_tokens": total})
}
