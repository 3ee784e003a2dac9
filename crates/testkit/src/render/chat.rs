//! OpenAI Chat Completions: chunks, or a whole completion.

use serde_json::{Value, json};

use super::data;
use crate::script::{ScriptedCall, Step, Turn};

pub(super) fn frames(turn: &Turn, number: usize) -> Vec<Vec<u8>> {
    let mut frames = vec![delta(&json!({ "role": "assistant", "content": "" }))];
    let mut index = 0_usize;
    for step in &turn.steps {
        match step {
            Step::Text(text) => {
                frames.extend(turn.deltas(text).iter().map(|piece| delta(&json!({ "content": piece }))));
            }
            Step::Reasoning(text) => {
                frames.extend(
                    turn.deltas(text).iter().map(|piece| delta(&json!({ "reasoning_content": piece }))),
                );
            }
            Step::Call(call) => {
                let first = json!({
                    "index": index, "id": id(call, number, index), "type": "function",
                    "function": { "name": call.name, "arguments": "" },
                });
                frames.push(delta(&json!({ "tool_calls": [first] })));
                frames.extend(turn.deltas(&call.text()).iter().map(|piece| {
                    delta(&json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] }))
                }));
                index = index.saturating_add(1);
            }
        }
    }
    frames.push(chunk(&json!([{ "index": 0, "delta": {}, "finish_reason": finish(turn) }]), &Value::Null));
    frames.push(chunk(&json!([]), &usage(turn)));
    frames.push(b"data: [DONE]\n\n".to_vec());
    frames
}

pub(super) fn whole(turn: &Turn, number: usize) -> Value {
    let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
    for step in &turn.steps {
        match step {
            Step::Text(words) => text.push_str(words),
            Step::Reasoning(words) => reasoning.push_str(words),
            Step::Call(call) => calls.push(json!({
                "id": id(call, number, calls.len()), "type": "function",
                "function": { "name": call.name, "arguments": call.text() },
            })),
        }
    }
    let mut message =
        json!({ "role": "assistant", "content": if text.is_empty() { Value::Null } else { text.into() } });
    if !reasoning.is_empty() {
        message["reasoning_content"] = reasoning.into();
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    json!({
        "id": "chatcmpl-scripted", "object": "chat.completion", "created": 1, "model": "scripted-1",
        "choices": [{ "index": 0, "message": message, "finish_reason": finish(turn) }],
        "usage": usage(turn),
    })
}

fn delta(value: &Value) -> Vec<u8> {
    chunk(&json!([{ "index": 0, "delta": value, "finish_reason": null }]), &Value::Null)
}

fn chunk(choices: &Value, usage: &Value) -> Vec<u8> {
    data(&json!({
        "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 1, "model": "scripted-1",
        "choices": choices, "usage": usage,
    }))
}

fn usage(turn: &Turn) -> Value {
    let (input, output) = (turn.usage.input, turn.usage.output);
    json!({ "prompt_tokens": input, "completion_tokens": output, "total_tokens": input.saturating_add(output) })
}

fn finish(turn: &Turn) -> String {
    let fitting = if turn.has_calls() { "tool_calls" } else { "stop" };
    turn.finish.clone().unwrap_or_else(|| fitting.to_owned())
}

fn id(call: &ScriptedCall, number: usize, index: usize) -> String {
    call.id.clone().unwrap_or_else(|| format!("call_{number}_{index}"))
}
