//! Rules of providers for messages: content is not empty, and every call has exactly one result.

use serde_json::Value;

use super::refusal::Refusal;

/// Chat Completions: tool messages, one per call, directly follow the assistant's calls.
pub(super) fn chat(messages: &[Value]) -> Result<(), Refusal> {
    let mut open: Vec<&str> = Vec::new();
    for (position, message) in messages.iter().enumerate() {
        let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
        if role == "tool" {
            let id = message.get("tool_call_id").and_then(Value::as_str).unwrap_or_default();
            answer(&mut open, id, position)?;
            check_filled(message, position)?;
            continue;
        }
        all_answered(&open, position)?;
        match role {
            "system" | "developer" | "user" => check_filled(message, position)?,
            "assistant" => open = chat_calls(message, position)?,
            other => return Err(at(position, format!("the role {other:?} is not known"))),
        }
    }
    all_answered(&open, messages.len())
}

fn chat_calls(message: &Value, position: usize) -> Result<Vec<&str>, Refusal> {
    let Some(calls) = message.get("tool_calls").filter(|calls| !calls.is_null()) else {
        if message.get("refusal").is_none_or(Value::is_null) {
            check_filled(message, position)?;
        }
        return Ok(Vec::new());
    };
    let calls = calls.as_array().map(Vec::as_slice).unwrap_or_default();
    if calls.is_empty() {
        return Err(at(position, "tool_calls is an empty list".to_owned()));
    }
    let mut ids = Vec::new();
    for call in calls {
        let text = |pointer| call.pointer(pointer).and_then(Value::as_str);
        let has_body = (text("/function/name").is_some() && text("/function/arguments").is_some())
            || (text("/custom/name").is_some() && text("/custom/input").is_some());
        if !has_body {
            return Err(at(position, "a call needs a name and its arguments as text".to_owned()));
        }
        new_call(&mut ids, text("/id"), position)?;
    }
    Ok(ids)
}

/// Anthropic: the message after the assistant's calls is from the user and starts with one result per call.
pub(super) fn anthropic(messages: &[Value]) -> Result<(), Refusal> {
    let mut open: Vec<&str> = Vec::new();
    for (position, message) in messages.iter().enumerate() {
        check_filled(message, position)?;
        let blocks = message.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        match message.get("role").and_then(Value::as_str) {
            Some("user") => anthropic_results(&mut open, blocks, position)?,
            Some("assistant") => {
                all_answered(&open, position)?;
                for block in blocks.iter().filter(|block| block["type"] == "tool_use") {
                    if !block["input"].is_object() || !block["name"].is_string() {
                        return Err(at(position, "tool_use needs a name and an object as input".to_owned()));
                    }
                    new_call(&mut open, block.get("id").and_then(Value::as_str), position)?;
                }
            }
            // Instructions in the middle of the conversation, which models since Claude Opus 4.8 take.
            Some("system") => all_answered(&open, position)?,
            _ => return Err(at(position, "the role is not user, assistant or system".to_owned())),
        }
    }
    all_answered(&open, messages.len())
}

fn anthropic_results<'a>(
    open: &mut Vec<&'a str>,
    blocks: &'a [Value],
    position: usize,
) -> Result<(), Refusal> {
    for block in blocks {
        if block["type"] == "tool_result" {
            answer(open, block.get("tool_use_id").and_then(Value::as_str).unwrap_or_default(), position)?;
        } else {
            // Results come first, so any other block ends them.
            all_answered(open, position)?;
        }
    }
    all_answered(open, position)
}

fn new_call<'a>(ids: &mut Vec<&'a str>, id: Option<&'a str>, position: usize) -> Result<(), Refusal> {
    match id {
        None | Some("") => Err(at(position, "a call has no id".to_owned())),
        Some(id) if ids.contains(&id) => Err(at(position, format!("two calls have the id {id}"))),
        Some(id) => {
            ids.push(id);
            Ok(())
        }
    }
}

fn answer(open: &mut Vec<&str>, id: &str, position: usize) -> Result<(), Refusal> {
    match open.iter().position(|call| *call == id) {
        Some(found) => {
            open.swap_remove(found);
            Ok(())
        }
        None => {
            Err(at(position, format!("no call of the message before waits for a result with the id {id:?}")))
        }
    }
}

fn all_answered(open: &[&str], position: usize) -> Result<(), Refusal> {
    match open.first() {
        None => Ok(()),
        Some(id) => Err(at(position, format!("the call {id} has no result right after it"))),
    }
}

fn check_filled(message: &Value, position: usize) -> Result<(), Refusal> {
    let is_filled = match message.get("content") {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(parts)) => {
            !parts.is_empty() && parts.iter().all(|part| part["type"] != "text" || part["text"] != "")
        }
        _ => false,
    };
    if is_filled { Ok(()) } else { Err(at(position, "the content is missing or empty".to_owned())) }
}

fn at(position: usize, message: String) -> Refusal {
    Refusal::request(message, Some(format!("messages.{position}")))
}
