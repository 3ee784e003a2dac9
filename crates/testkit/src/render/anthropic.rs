//! Anthropic Messages: events, or a whole message.

use serde_json::{Value, json};

use super::event;
use crate::script::{ScriptedCall, Step, Turn};

pub(super) fn frames(turn: &Turn, number: usize) -> Vec<Vec<u8>> {
    let message = json!({
        "id": "msg_scripted", "type": "message", "role": "assistant", "model": "scripted-1", "content": [],
        "stop_reason": null, "stop_sequence": null,
        "usage": { "input_tokens": turn.usage.input, "output_tokens": 1 },
    });
    let mut frames = vec![
        event("message_start", &json!({ "type": "message_start", "message": message })),
        event("ping", &json!({ "type": "ping" })),
    ];
    for (index, step) in turn.steps.iter().enumerate() {
        block(turn, number, index, step, &mut frames);
    }
    frames.push(event(
        "message_delta",
        &json!({
            "type": "message_delta", "delta": { "stop_reason": finish(turn), "stop_sequence": null },
            "usage": { "output_tokens": turn.usage.output },
        }),
    ));
    frames.push(event("message_stop", &json!({ "type": "message_stop" })));
    frames
}

fn block(turn: &Turn, number: usize, index: usize, step: &Step, frames: &mut Vec<Vec<u8>>) {
    let (start, kind, field, text) = match step {
        Step::Text(text) => (json!({ "type": "text", "text": "" }), "text_delta", "text", text.clone()),
        Step::Reasoning(text) => (
            json!({ "type": "thinking", "thinking": "", "signature": "" }),
            "thinking_delta",
            "thinking",
            text.clone(),
        ),
        Step::Call(call) => (
            json!({ "type": "tool_use", "id": id(call, number, index), "name": call.name, "input": {} }),
            "input_json_delta",
            "partial_json",
            call.text(),
        ),
    };
    frames.push(event(
        "content_block_start",
        &json!({ "type": "content_block_start", "index": index, "content_block": start }),
    ));
    let mut delta = |value: Value| {
        frames.push(event(
            "content_block_delta",
            &json!({ "type": "content_block_delta", "index": index, "delta": value }),
        ));
    };
    for piece in turn.deltas(&text) {
        delta(json!({ "type": kind, field: piece }));
    }
    if matches!(step, Step::Reasoning(_)) {
        delta(json!({ "type": "signature_delta", "signature": signature(number, index) }));
    }
    frames.push(event("content_block_stop", &json!({ "type": "content_block_stop", "index": index })));
}

pub(super) fn whole(turn: &Turn, number: usize) -> Value {
    let content: Vec<Value> = turn
        .steps
        .iter()
        .enumerate()
        .map(|(index, step)| match step {
            Step::Text(text) => json!({ "type": "text", "text": text }),
            Step::Reasoning(text) => {
                json!({ "type": "thinking", "thinking": text, "signature": signature(number, index) })
            }
            Step::Call(call) => {
                let input: Value = serde_json::from_str(&call.text()).unwrap_or_else(|_| json!({}));
                json!({ "type": "tool_use", "id": id(call, number, index), "name": call.name, "input": input })
            }
        })
        .collect();
    json!({
        "id": "msg_scripted", "type": "message", "role": "assistant", "model": "scripted-1", "content": content,
        "stop_reason": finish(turn), "stop_sequence": null,
        "usage": { "input_tokens": turn.usage.input, "output_tokens": turn.usage.output },
    })
}

fn finish(turn: &Turn) -> String {
    let fitting = if turn.has_calls() { "tool_use" } else { "end_turn" };
    turn.finish.clone().unwrap_or_else(|| fitting.to_owned())
}

fn id(call: &ScriptedCall, number: usize, index: usize) -> String {
    call.id.clone().unwrap_or_else(|| format!("toolu_{number}_{index}"))
}

fn signature(number: usize, index: usize) -> String {
    format!("c2lnbmF0dXJl{number}{index}")
}
