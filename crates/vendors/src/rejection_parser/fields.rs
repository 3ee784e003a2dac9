//! The parts of a refusal and of a body that name a parameter.

use serde_json::Value;

use crate::capability::{Ability, Claims};
use crate::edit;
use crate::rejection::Remedy;

/// Fields that are never removed: without them the request has another meaning.
const NEVER: &[&str] = &[
    "model",
    "messages",
    "input",
    "contents",
    "system",
    "instructions",
    "systemInstruction",
    "tools",
    "stream",
];

/// Returns the claim that a model lacks an ability.
pub(super) fn deny(ability: Ability) -> Claims {
    Claims::from([(ability, false)])
}

/// Returns the parameter that a validator names and the kind of its error: `{"loc": ["body", "stop"], "type":
/// "extra_forbidden"}`.
pub(super) fn location(refusal: &Value) -> Option<(&str, &str)> {
    match refusal {
        Value::Array(items) => items.iter().find_map(location),
        Value::Object(fields) => match fields.get("loc").and_then(Value::as_array) {
            Some(path) => {
                let names: Vec<&str> =
                    path.iter().filter_map(Value::as_str).filter(|name| *name != "body").collect();
                // A longer path leads into a message or a tool, so it does not name a parameter.
                let [name] = names.as_slice() else { return None };
                Some((name, fields.get("type").and_then(Value::as_str).unwrap_or_default()))
            }
            None => fields.values().find_map(location),
        },
        _ => None,
    }
}

/// Returns true if a path begins at a field that is never removed.
pub(super) fn is_kept(path: &str) -> bool {
    path.split(['.', '[']).next().is_some_and(|root| NEVER.contains(&root))
}

/// Returns the path of the field as the body spells it, or `None` if the field is missing or never removed.
pub(super) fn field(path: &str, sent: &[u8]) -> Option<String> {
    let path = path.strip_prefix("body.").unwrap_or(path);
    if is_kept(path) {
        return None;
    }
    // Gemini's bodies are in camel case, its refusals in snake case.
    [path.to_owned(), camel(path)].into_iter().find(|path| edit::has(sent, path))
}

fn camel(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut rises = false;
    for character in path.chars() {
        match character {
            '_' => rises = true,
            _ if rises => {
                text.extend(character.to_uppercase());
                rises = false;
            }
            _ => text.push(character),
        }
    }
    text
}

/// Returns a field of the body that the message names. A plain word counts only in quotes, because it may be
/// prose.
pub(super) fn word(message: &str, sent: &[u8]) -> Option<String> {
    let words = message.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
    words
        .filter(|word| word.contains('_') || *word == "temperature" || is_quoted(message, word))
        .find_map(|word| field(word, sent))
}

/// Returns true if a message has a word in quotes.
pub(super) fn is_quoted(message: &str, word: &str) -> bool {
    !word.is_empty()
        && ['\'', '"', '`'].iter().any(|quote| message.contains(&format!("{quote}{word}{quote}")))
}

/// Returns the change of the body without the parameter, if there is one.
pub(super) fn remedy(parameter: &str, message: &str, lowercase: &str, sent: &[u8]) -> Option<Remedy> {
    const LIMITS: &[&str] = &["max_tokens", "max_completion_tokens", "max_output_tokens"];
    if LIMITS.contains(&parameter) {
        // Never drop the output limit: it bounds the cost. Rename it to the name that the refusal quotes, or
        // fail.
        let other = LIMITS.iter().find(|name| **name != parameter && is_quoted(message, name))?;
        return Some(Remedy::Rename((*other).to_owned()));
    }
    if parameter == "include" {
        let body: Value = serde_json::from_slice(sent).ok()?;
        let items = body.get("include")?.as_array()?;
        let item = "reasoning.encrypted_content";
        return (lowercase.contains("encrypted") && items.iter().any(|held| held == item))
            .then(|| Remedy::DropItem(item.to_owned()));
    }
    Some(Remedy::Drop)
}

/// Returns the abilities that the refusal of a parameter denies.
pub(super) fn abilities(parameter: &str, sent: &[u8]) -> Claims {
    let body = || serde_json::from_slice::<Value>(sent).unwrap_or_default();
    match parameter {
        "parallel_tool_calls" => deny(Ability::ParallelCalls),
        "tool_choice" | "toolConfig" => deny(Ability::ForcedToolChoice),
        "response_format"
            if body().pointer("/response_format/type").is_some_and(|kind| kind == "json_object") =>
        {
            deny(Ability::JsonOutput)
        }
        "response_format" | "text" | "text.format" | "output_format" | "output_config" => {
            deny(Ability::StructuredOutput)
        }
        "reasoning" | "reasoning_effort" | "thinking" => deny(Ability::Reasoning),
        _ => Claims::new(),
    }
}
