//! Gemini generateContent: events with parts of one candidate, or one body.

use serde_json::{Value, json};

use super::{Frames, Setting, finish, pieces, usage};
use crate::script::{ScriptCall, ScriptPart, Turn};

pub(super) fn stream(turn: &Turn, setting: Setting<'_>) -> Frames {
    let mut frames = Vec::new();
    for (index, step) in turn.steps.iter().enumerate() {
        match step {
            ScriptPart::Reasoning(text) => {
                frames.extend(pieces(text, turn.piece).map(|piece| event(&thought(piece))));
            }
            ScriptPart::Text(text) => {
                frames.extend(pieces(text, turn.piece).map(|piece| event(&words(piece))));
            }
            // The API sends a call in one piece unless the request asks for partial arguments.
            ScriptPart::Call(call) => frames.push(event(&function_call(call, setting, index))),
        }
    }
    let open = frames.len();
    frames.push(frame(&body(&words(""), Some(&ending(turn, setting)))));
    Frames { frames, open }
}

pub(super) fn whole(turn: &Turn, setting: Setting<'_>) -> Vec<u8> {
    let part = |(index, step): (usize, &ScriptPart)| match step {
        ScriptPart::Reasoning(text) => thought(text),
        ScriptPart::Text(text) => words(text),
        ScriptPart::Call(call) => function_call(call, setting, index),
    };
    let parts: Vec<String> = turn.steps.iter().enumerate().map(part).collect();
    body(&parts.join(","), Some(&ending(turn, setting))).into_bytes()
}

/// The stop reason and the usage of the last event.
struct Ending<'a> {
    reason: &'a str,
    usage: Value,
    model: &'a str,
}

fn ending<'a>(turn: &'a Turn, setting: Setting<'a>) -> Ending<'a> {
    let tokens = usage(turn, setting.request_bytes);
    let usage = json!({
        "promptTokenCount": tokens.input, "candidatesTokenCount": tokens.output,
        "totalTokenCount": tokens.input.saturating_add(tokens.output),
    });
    Ending { reason: finish(turn, setting.format), usage, model: setting.model }
}

fn words(text: &str) -> String {
    json!({ "text": text }).to_string()
}

fn thought(text: &str) -> String {
    json!({ "text": text, "thought": true }).to_string()
}

/// Renders a call with its arguments as written in the script. The arguments are a JSON value, so text that
/// is not JSON is sent as a string. The call has an id only if the script sets one.
fn function_call(call: &ScriptCall, setting: Setting<'_>, index: usize) -> String {
    let text = call.arguments_text();
    let is_json = serde_json::from_str::<Value>(&text).is_ok();
    // An event line cannot contain line breaks; JSON has them only between tokens.
    let args = if is_json { text.replace(['\r', '\n'], " ") } else { Value::String(text).to_string() };
    let id = call.id.as_ref().map(|id| format!(r#""id":{},"#, Value::from(id.as_str()))).unwrap_or_default();
    let name = Value::from(call.name.as_str());
    let signature = format!("c2ln{:04}{index:04}", setting.number);
    format!(r#"{{"functionCall":{{{id}"name":{name},"args":{args}}},"thoughtSignature":"{signature}"}}"#)
}

fn event(part: &str) -> Vec<u8> {
    frame(&body(part, None))
}

fn frame(body: &str) -> Vec<u8> {
    format!("data: {body}\r\n\r\n").into_bytes()
}

/// Renders a response with these parts, which are already JSON.
fn body(parts: &str, ending: Option<&Ending<'_>>) -> String {
    let content = format!(r#""content":{{"parts":[{parts}],"role":"model"}},"index":0"#);
    match ending {
        None => format!(r#"{{"candidates":[{{{content}}}]}}"#),
        Some(Ending { reason, usage, model }) => {
            let (reason, model) = (Value::from(*reason), Value::from(*model));
            format!(
                r#"{{"candidates":[{{{content},"finishReason":{reason}}}],"usageMetadata":{usage},"modelVersion":{model}}}"#
            )
        }
    }
}
