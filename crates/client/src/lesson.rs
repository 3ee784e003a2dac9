//! What a refusal teaches: a parameter that is not taken, or an ability that is missing (RULES L9).

mod words;

use serde_json::Value;
use windlass_wire::{ProviderError, ProviderErrorKind};

use crate::Quirk;
use crate::capability::{Ability, Said};
use crate::edit;
use crate::facts::{Fact, Remedy};

/// Fields without which a request is another request.
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

/// Words that say that a parameter itself is not taken. A value that is wrong is the caller's to mend.
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

/// Words that say that calls of the provider's own kind are not to be had: OpenRouter's, Ollama's, Groq's, Mistral's.
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

/// The flags with which vLLM's and llama.cpp's servers have to be started for calls.
const TOOL_FLAGS: &[&str] = &["--enable-auto-tool-choice", "--jinja"];

/// Words that say that the model sees no pictures. A picture of a wrong format or size is another matter.
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

/// Reads a refusal of a body; none if it says nothing that holds for other requests too.
pub(crate) fn lesson(status: u16, error: &ProviderError, refusal: &[u8], sent: &[u8]) -> Option<Fact> {
    if !matches!(status, 400 | 404 | 422) {
        return None;
    }
    let refusal: Value = serde_json::from_slice(refusal).unwrap_or_default();
    // OpenRouter's own words say only that somebody refused; who did and why is kept beside them.
    let raw = refusal.pointer("/error/metadata/raw").and_then(Value::as_str);
    let message = raw.unwrap_or(&error.message);
    let said = message.to_lowercase();
    let plain = said.replace(['`', '\'', '"'], "");
    let location = location(&refusal);
    let refuses = REFUSES
        .iter()
        .any(|words| said.contains(words) || location.is_some_and(|(_, kind)| kind.contains("extra")));
    let named = error.parameter.as_deref().or(location.as_ref().map(|(path, _)| *path));
    // The parameter that the error names goes before what its words may mean besides.
    let parameter = named.and_then(|path| field(path, sent));
    if named.is_none_or(is_kept) && free_text_is_refused(&plain, &refusal, sent) {
        let remedy = Remedy::Quirk(Quirk::NoFreeTextTools);
        return Some(Fact::new("tools.custom", Some(remedy), Said::new(), message));
    }
    if parameter.is_none() && edit::has(sent, "tools") {
        let is_named = named == Some("tools");
        let is_refused = refuses && is_named && words::refuses(&plain, "tools", is_named);
        if words::says(&plain, NO_TOOLS) || TOOL_FLAGS.iter().any(|flag| plain.contains(flag)) || is_refused {
            return Some(Fact::new("tools", None, no(Ability::NativeTools), message));
        }
    }
    if !refuses {
        return None;
    }
    if named.is_some_and(|path| path.ends_with("strict"))
        || parameter.is_none() && is_quoted(message, "strict")
    {
        return Some(Fact::new("strict", Some(Remedy::Quirk(Quirk::NoStrict)), Said::new(), message));
    }
    if parameter.is_none() && has_images(sent) && words::says(&plain, NO_IMAGES) {
        return Some(Fact::new("images", None, no(Ability::Images), message));
    }
    // What is wrong inside of the conversation is not mended by leaving something else out.
    if named.is_some_and(is_kept) {
        return None;
    }
    let parameter = parameter.or_else(|| word(message, sent))?;
    let abilities = abilities(&parameter, sent);
    // The form of an answer is what was asked for: an answer without it is another.
    if abilities.keys().any(|ability| matches!(ability, Ability::StructuredOutput | Ability::JsonOutput)) {
        // A schema that is not taken says nothing of the next one.
        if !words::refuses(&plain, &parameter, named.is_some()) {
            return None;
        }
        return Some(Fact::new(parameter, None, abilities, message));
    }
    let remedy = remedy(&parameter, message, &said, sent)?;
    Some(Fact::new(parameter, Some(remedy), abilities, message))
}

/// Reads a refusal that came under a status of success, as `OpenRouter` and the Responses API send it.
pub(crate) fn lesson_in_answer(error: &ProviderError, sent: &[u8]) -> Option<Fact> {
    let is_about_request = matches!(error.kind, ProviderErrorKind::Request | ProviderErrorKind::NotFound);
    if is_about_request { lesson(400, error, b"", sent) } else { None }
}

fn no(ability: Ability) -> Said {
    Said::from([(ability, false)])
}

/// Whether a body has pictures, in any of the formats.
pub(crate) fn has_images(sent: &[u8]) -> bool {
    let text = String::from_utf8_lossy(sent);
    ["\"image_url\"", "\"input_image\"", "\"type\":\"image\"", "\"inlineData\"", "\"fileData\""]
        .iter()
        .any(|word| text.contains(word))
}

/// Whether a server knows functions only, and was sent a tool that takes free text. Where it says so in other words and
/// this is wrong, nothing comes of it: only what helped is remembered.
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

/// The place that a validator names, and the kind of its complaint: `{"loc": ["body", "stop"], "type": "extra_forbidden"}`.
fn location(refusal: &Value) -> Option<(&str, &str)> {
    match refusal {
        Value::Array(items) => items.iter().find_map(location),
        Value::Object(fields) => match fields.get("loc").and_then(Value::as_array) {
            Some(path) => {
                let names: Vec<&str> =
                    path.iter().filter_map(Value::as_str).filter(|name| *name != "body").collect();
                // What stands deeper is the business of a message or a tool, not a parameter.
                let [name] = names.as_slice() else { return None };
                Some((name, fields.get("type").and_then(Value::as_str).unwrap_or_default()))
            }
            None => fields.values().find_map(location),
        },
        _ => None,
    }
}

/// Whether a path leads into what is never left out.
fn is_kept(path: &str) -> bool {
    path.split(['.', '[']).next().is_some_and(|root| NEVER.contains(&root))
}

/// The field of the body that a path is about, as the body has it; none if it may not go or is not there.
fn field(path: &str, sent: &[u8]) -> Option<String> {
    let path = path.strip_prefix("body.").unwrap_or(path);
    if is_kept(path) {
        return None;
    }
    // Gemini's own names are in the one style, and in its refusals in the other.
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

/// A field of the body that the words name. A plain word counts only in quotes: it may be prose.
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

fn remedy(parameter: &str, message: &str, said: &str, sent: &[u8]) -> Option<Remedy> {
    const LIMITS: &[&str] = &["max_tokens", "max_completion_tokens", "max_output_tokens"];
    if LIMITS.contains(&parameter) {
        // The limit on an answer is what it costs: it gets the name that is asked for, and does not go unasked.
        let other = LIMITS.iter().find(|name| **name != parameter && is_quoted(message, name))?;
        return Some(Remedy::Rename((*other).to_owned()));
    }
    if parameter == "include" {
        let body: Value = serde_json::from_slice(sent).ok()?;
        let items = body.get("include")?.as_array()?;
        let item = "reasoning.encrypted_content";
        return (said.contains("encrypted") && items.iter().any(|held| held == item))
            .then(|| Remedy::DropItem(item.to_owned()));
    }
    Some(Remedy::Drop)
}

/// What it means for a model's abilities that a parameter is refused.
fn abilities(parameter: &str, sent: &[u8]) -> Said {
    let body = || serde_json::from_slice::<Value>(sent).unwrap_or_default();
    match parameter {
        "parallel_tool_calls" => no(Ability::ParallelCalls),
        "tool_choice" | "toolConfig" => no(Ability::ForcedToolChoice),
        "response_format"
            if body().pointer("/response_format/type").is_some_and(|kind| kind == "json_object") =>
        {
            no(Ability::JsonOutput)
        }
        "response_format" | "text" | "text.format" | "output_format" | "output_config" => {
            no(Ability::StructuredOutput)
        }
        "reasoning" | "reasoning_effort" | "thinking" => no(Ability::Reasoning),
        _ => Said::new(),
    }
}

#[cfg(test)]
mod tests;
