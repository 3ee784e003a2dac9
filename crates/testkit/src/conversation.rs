//! What the real providers refuse in a request, checked by the scripted ones.

use serde_json::Value;

use crate::render::Dialect;

/// A refusal: status, the provider's word for the kind, and what is wrong.
pub(crate) type Refusal = (u16, &'static str, String);

/// Checks a request as the provider would.
pub(crate) fn check(dialect: Dialect, body: &Value) -> Result<(), Refusal> {
    let invalid = |text: String| Err((400, "invalid_request_error", text));
    if body["model"] == "no-such-model" {
        return Err((404, "not_found_error", "model: no-such-model".to_owned()));
    }
    let Some(messages) = body["messages"].as_array().filter(|messages| !messages.is_empty()) else {
        return invalid("messages: at least one message is required".to_owned());
    };
    if dialect == Dialect::Anthropic && !body["max_tokens"].is_u64() {
        return invalid("max_tokens: field required".to_owned());
    }
    let pairs = match dialect {
        Dialect::Chat => chat_pairs(messages),
        Dialect::Anthropic => anthropic_pairs(messages),
    };
    pairs.or_else(invalid)
}

/// How many answers the model has given in this conversation.
pub(crate) fn turn(body: &Value) -> usize {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    messages.iter().filter(|message| message["role"] == "assistant").count()
}

/// Each `tool_calls` message is followed by one tool message for each id.
fn chat_pairs(messages: &[Value]) -> Result<(), String> {
    let mut open: Vec<String> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let known = open.iter().position(|waiting| waiting == id);
            let Some(known) = known else {
                return Err(format!(
                    "messages[{at}]: tool_call_id {id:?} does not answer a call right before it"
                ));
            };
            open.remove(known);
        } else if !open.is_empty() {
            return Err(format!("messages[{at}]: the calls {} have no tool message", open.join(", ")));
        }
        let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
        let has_words = message["content"].as_str().is_some_and(|text| !text.is_empty())
            || message["content"].as_array().is_some_and(|parts| !parts.is_empty());
        if calls.is_empty() && !has_words {
            return Err(format!("messages[{at}]: the content is empty"));
        }
        open.extend(calls.iter().filter_map(|call| call["id"].as_str().map(str::to_owned)));
    }
    if open.is_empty() { Ok(()) } else { Err(format!("the calls {} have no tool message", open.join(", "))) }
}

/// Each `tool_use` has its `tool_result` at the beginning of the next message.
fn anthropic_pairs(messages: &[Value]) -> Result<(), String> {
    let mut open: Vec<String> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        if blocks.is_empty() && message["content"].as_str().is_none_or(str::is_empty) {
            return Err(format!("messages.{at}: content must not be empty"));
        }
        let mut words_before = false;
        for block in blocks {
            if block["type"] != "tool_result" {
                words_before = true;
                continue;
            }
            let id = block["tool_use_id"].as_str().unwrap_or_default();
            let known = open.iter().position(|waiting| waiting == id);
            let (Some(known), false) = (known, words_before) else {
                return Err(format!("messages.{at}: unexpected tool_use_id {id:?} in a tool_result block"));
            };
            open.remove(known);
        }
        if !open.is_empty() {
            return Err(format!(
                "messages.{at}: tool_use ids without tool_result blocks: {}",
                open.join(", ")
            ));
        }
        let calls = blocks.iter().filter(|block| block["type"] == "tool_use");
        open.extend(calls.filter_map(|block| block["id"].as_str().map(str::to_owned)));
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(format!("tool_use ids without tool_result blocks: {}", open.join(", ")))
    }
}
