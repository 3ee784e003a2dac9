//! OpenAI's rules for the items of a Responses request.

use serde_json::Value;

use super::refusal::Refusal;

/// Returns the number of answers: each run of adjacent model items is one answer.
pub(super) fn answers(items: &[Value]) -> usize {
    let (mut answers, mut goes_on) = (0_usize, false);
    for item in items {
        let is_answer = is_answer(item);
        answers = answers.saturating_add(usize::from(is_answer && !goes_on));
        goes_on = is_answer;
    }
    answers
}

fn is_answer(item: &Value) -> bool {
    match item["type"].as_str() {
        Some("message") | None => item["role"] == "assistant",
        Some(kind) => {
            kind.ends_with("_call")
                || matches!(kind, "reasoning" | "mcp_list_tools" | "mcp_approval_request" | "item_reference")
        }
    }
}

/// Checks that each call has exactly one output before the next message, and that reasoning items are
/// followed by another item.
pub(super) fn check(items: &[Value]) -> Result<(), Refusal> {
    let mut open: Vec<&str> = Vec::new();
    for (position, item) in items.iter().enumerate() {
        let id = item["call_id"].as_str().unwrap_or_default();
        match item["type"].as_str() {
            Some("function_call" | "custom_tool_call") => {
                if id.is_empty() || id.len() > 64 || open.contains(&id) {
                    return Err(at(position, format!("the call has no id of its own, but {id:?}")));
                }
                if !item["name"].is_string() || !(item["arguments"].is_string() || item["input"].is_string())
                {
                    return Err(at(position, "a call needs a name and its arguments as text".to_owned()));
                }
                open.push(id);
            }
            Some("function_call_output" | "custom_tool_call_output") => {
                let Some(found) = open.iter().position(|call| *call == id) else {
                    return Err(at(
                        position,
                        format!("no tool call found for the output with the id {id:?}"),
                    ));
                };
                open.swap_remove(found);
            }
            Some("reasoning") => {
                if items.get(position.saturating_add(1)).is_none_or(|next| !is_answer(next)) {
                    return Err(at(position, "the thoughts are without their following item".to_owned()));
                }
            }
            Some("message") | None => {
                // The API accepts assistant messages between a call and its output; LiteLLM writes them
                // there.
                if item["role"] != "assistant" {
                    all_answered(&open, position)?;
                }
                message(item, position)?;
            }
            Some(_) => {}
        }
    }
    all_answered(&open, items.len())
}

fn message(item: &Value, position: usize) -> Result<(), Refusal> {
    if !matches!(item["role"].as_str(), Some("user" | "system" | "developer" | "assistant")) {
        return Err(at(position, "the role is not known".to_owned()));
    }
    let is_filled = match &item["content"] {
        Value::String(text) => !text.is_empty(),
        Value::Array(parts) => !parts.is_empty(),
        _ => false,
    };
    if is_filled { Ok(()) } else { Err(at(position, "the content is missing or empty".to_owned())) }
}

fn all_answered(open: &[&str], position: usize) -> Result<(), Refusal> {
    match open.first() {
        None => Ok(()),
        Some(id) => Err(at(position, format!("no tool output found for the call {id}"))),
    }
}

fn at(position: usize, message: String) -> Refusal {
    Refusal::request(message, Some(format!("input[{position}]")))
}
