//! Parser of refusals that show a capability: a refused parameter, or a missing ability (RULES L9).

mod phrases;

use serde_json::Value;
use windlass_wire::{ProviderError, ProviderErrorKind};

use crate::capability::{Ability, Claims};
use crate::edit;
use crate::images::has_images;
use crate::quirk::Quirk;
use crate::rejection::{ParameterRejection, Remedy};

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

/// Words that refuse the parameter itself. Words about an invalid value are not in this list, because the
/// caller has to correct the value.
const REFUSES: &[&str] = &[
    "unsupported",
    "not support",
    "n't support",
    "no endpoints found that support",
    "unknown",
    "unrecognized",
    "unrecognised",
    "not recognized",
    "unexpected",
    "extra inputs",
    "not permitted",
    "not allowed",
    "only allowed",
    "not available",
    "unavailable",
    "not a valid field",
    "not compatible",
    "incompatible",
    "only the default",
    "cannot be used",
    "deprecated",
];

/// Words that deny native tool calls, from OpenRouter, Ollama, Groq and Mistral.
const NO_TOOLS: &[&str] = &[
    "support tools",
    "support tool use",
    "support tool call",
    "support tool calls",
    "support tool calling",
    "support function call",
    "support function calls",
    "support function calling",
    "support functions",
    "tools are not supported",
    "tools is not supported",
    "tool use is not supported",
    "tool calls are not supported",
    "tool calling is not supported",
    "function calls are not supported",
    "function calling is not supported",
    "function calling is not enabled",
];

/// Fields inside of tools, messages and the system prompt, which must not be omitted themselves, and the quirks that leave out
/// these fields.
const INNER_FIELDS: &[(&str, Quirk)] = &[
    ("cache_control", Quirk::NoPromptCache),
    ("prompt_cache_breakpoint", Quirk::NoPromptCache),
    ("eager_input_streaming", Quirk::NoEagerArguments),
];

/// Flags that enable tool calls in the servers of vLLM and llama.cpp; their refusals name them.
const TOOL_FLAGS: &[&str] = &["--enable-auto-tool-choice", "--jinja"];

/// Words that deny image input. A wrong image format or size is a different failure.
const NO_IMAGES: &[&str] = &[
    "support image",
    "support images",
    "support image input",
    "support image inputs",
    "support vision",
    "images are not supported",
    "image input is not supported",
    "image inputs are not supported",
];

/// Parses the refusal of a request that names a parameter or an ability. Returns `None` if the refusal concerns this request only.
///
/// `refusal` is the body of the response, `sent` the body of the request, and `now` the time in seconds since
/// 1970.
pub fn parse_rejection(
    status: u16,
    error: &ProviderError,
    refusal: &[u8],
    sent: &[u8],
    now: u64,
) -> Option<ParameterRejection> {
    if !matches!(status, 400 | 404 | 422) {
        return None;
    }
    let refusal: Value = serde_json::from_slice(refusal).unwrap_or_default();
    // OpenRouter's own message omits the reason; `metadata.raw` contains the message of the provider that it
    // forwarded to.
    let raw = refusal.pointer("/error/metadata/raw").and_then(Value::as_str);
    let message = raw.unwrap_or(&error.message);
    let reject = |parameter: &str, remedy: Option<Remedy>, abilities: Claims| {
        Some(ParameterRejection::new(parameter, remedy, abilities, message, now))
    };
    let lowercase = message.to_lowercase();
    let plain = lowercase.replace(['`', '\'', '"'], "");
    let location = location(&refusal);
    let refuses = REFUSES
        .iter()
        .any(|words| lowercase.contains(words) || location.is_some_and(|(_, kind)| kind.contains("extra")));
    let named = error.parameter.as_deref().or(location.as_ref().map(|(path, _)| *path));
    // The parameter that the error names takes precedence over a guess from the text of the error.
    let parameter = named.and_then(|path| field(path, sent));
    if named.is_none_or(is_kept) && free_text_is_refused(&plain, &refusal, sent) {
        let remedy = Remedy::Quirk(Quirk::NoFreeTextTools);
        return reject("tools.custom", Some(remedy), Claims::new());
    }
    if parameter.is_none() && edit::has(sent, "tools") {
        let is_named = named == Some("tools");
        let is_refused = refuses && is_named && phrases::refuses_field(&plain, "tools", is_named);
        if phrases::contains_unconditionally(&plain, NO_TOOLS)
            || TOOL_FLAGS.iter().any(|flag| plain.contains(flag))
            || is_refused
        {
            return reject("tools", None, deny(Ability::NativeTools));
        }
    }
    if !refuses {
        return None;
    }
    if named.is_some_and(|path| path.ends_with("strict"))
        || parameter.is_none() && is_quoted(message, "strict")
    {
        return reject("strict", Some(Remedy::Quirk(Quirk::NoStrict)), Claims::new());
    }
    for (field, quirk) in INNER_FIELDS {
        if named.unwrap_or(message).contains(field) || is_quoted(message, field) {
            return reject(field, Some(Remedy::Quirk(*quirk)), Claims::new());
        }
    }
    if parameter.is_none() && has_images(sent) && phrases::contains_unconditionally(&plain, NO_IMAGES) {
        return reject("images", None, deny(Ability::Images));
    }
    // An error inside the conversation cannot be fixed by omitting another field.
    if named.is_some_and(is_kept) {
        return None;
    }
    let parameter = parameter.or_else(|| word(message, sent))?;
    let abilities = abilities(&parameter, sent);
    // The caller requested this output format, so the request is not repeated without it.
    if abilities.keys().any(|ability| matches!(ability, Ability::StructuredOutput | Ability::JsonOutput)) {
        // The refusal of one schema does not imply the refusal of another.
        if !phrases::refuses_field(&plain, &parameter, named.is_some()) {
            return None;
        }
        return reject(&parameter, None, abilities);
    }
    let remedy = remedy(&parameter, message, &lowercase, sent)?;
    reject(&parameter, Some(remedy), abilities)
}

/// Parses a refusal under a success status, as OpenRouter and the Responses API send it.
pub fn parse_rejection_in_answer(error: &ProviderError, sent: &[u8], now: u64) -> Option<ParameterRejection> {
    let is_about_request = matches!(error.kind, ProviderErrorKind::Request | ProviderErrorKind::NotFound);
    if is_about_request { parse_rejection(400, error, b"", sent, now) } else { None }
}

fn deny(ability: Ability) -> Claims {
    Claims::from([(ability, false)])
}

/// Returns true if the server accepts only function tools and the request had a free-text tool. A false
/// positive is harmless: the rejection is stored only if the request without free text succeeds.
fn free_text_is_refused(plain: &str, refusal: &Value, sent: &[u8]) -> bool {
    let tools = || {
        let body: Value = serde_json::from_slice(sent).ok()?;
        let is_custom = |tool: &Value| tool.get("type").is_some_and(|kind| kind == "custom");
        Some(body.get("tools")?.as_array()?.iter().any(is_custom))
    };
    let has_word = |text: &str, word: &str| {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|held| held == word)
    };
    let whole = refusal.to_string().to_lowercase();
    let says = |word: &str| has_word(plain, word) || has_word(&whole, word);
    let is_missing = ["not found", "required", "missing", "should be", "must be", "expected"]
        .iter()
        .any(|words| plain.contains(words) || whole.contains(words));
    (says("custom") || says("function") && is_missing) && tools().unwrap_or(false)
}

/// Returns the parameter that a validator names and the kind of its error: `{"loc": ["body", "stop"], "type":
/// "extra_forbidden"}`.
fn location(refusal: &Value) -> Option<(&str, &str)> {
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
fn is_kept(path: &str) -> bool {
    path.split(['.', '[']).next().is_some_and(|root| NEVER.contains(&root))
}

/// Returns the path of the field as the body spells it, or `None` if the field is missing or never removed.
fn field(path: &str, sent: &[u8]) -> Option<String> {
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
fn word(message: &str, sent: &[u8]) -> Option<String> {
    let words = message.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
    words
        .filter(|word| word.contains('_') || *word == "temperature" || is_quoted(message, word))
        .find_map(|word| field(word, sent))
}

fn is_quoted(message: &str, word: &str) -> bool {
    !word.is_empty()
        && ['\'', '"', '`'].iter().any(|quote| message.contains(&format!("{quote}{word}{quote}")))
}

fn remedy(parameter: &str, message: &str, lowercase: &str, sent: &[u8]) -> Option<Remedy> {
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
fn abilities(parameter: &str, sent: &[u8]) -> Claims {
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

#[cfg(test)]
mod tests;
