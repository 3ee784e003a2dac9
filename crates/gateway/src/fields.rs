//! The fate of each field of a request that only its own format has.

use serde_json::{Map, Value};

/// The fate of a field in a request to another format. Within its own format every field is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldFate {
    /// It becomes a field of the other format, where that has one, and is otherwise left out and named.
    Translated,
    /// The request is refused, because another model would answer without the conversation, or the answer would
    /// not have the requested form.
    Refused,
    /// It is left out and named in `x-windlass-lost`: it is about billing, storage, limits or sampling.
    LeftOut,
}

/// A field and its fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldRule {
    /// The wire format.
    pub format: &'static str,
    /// The name, with a point before the name of an inner field.
    pub field: &'static str,
    /// The fate.
    pub fate: FieldFate,
    /// A value in JSON that has an effect.
    pub sample: &'static str,
}

const fn rule(format: &'static str, field: &'static str, fate: FieldFate, sample: &'static str) -> FieldRule {
    FieldRule { format, field, fate, sample }
}

use FieldFate::{LeftOut, Refused, Translated};

const CHAT: &str = "openai-chat";
const RESPONSES: &str = "openai-responses";
const ANTHROPIC: &str = "anthropic";
const GEMINI: &str = "gemini";

/// The rules. A field without one is left out and named.
const RULES: &[FieldRule] = &[
    rule(CHAT, "max_completion_tokens", Translated, "9"),
    rule(CHAT, "stream_options", Translated, r#"{"include_usage":true}"#),
    rule(CHAT, "reasoning_effort", Translated, r#""low""#),
    rule(CHAT, "top_p", Translated, "0.5"),
    rule(CHAT, "seed", Translated, "7"),
    rule(CHAT, "verbosity", Translated, r#""low""#),
    rule(CHAT, "frequency_penalty", Translated, "0.5"),
    rule(CHAT, "presence_penalty", Translated, "0.5"),
    rule(CHAT, "n", Refused, "2"),
    rule(CHAT, "logprobs", Refused, "true"),
    rule(CHAT, "top_logprobs", Refused, "2"),
    rule(CHAT, "logit_bias", Refused, r#"{"7":-100}"#),
    rule(CHAT, "modalities", Refused, r#"["text","audio"]"#),
    rule(CHAT, "audio", Refused, r#"{"voice":"alloy","format":"wav"}"#),
    rule(CHAT, "functions", Refused, r#"[{"name":"f"}]"#),
    rule(CHAT, "response_format", Refused, r#"{"type":"grammar","grammar":"x"}"#),
    rule(CHAT, "user", LeftOut, r#""ann""#),
    rule(CHAT, "safety_identifier", LeftOut, r#""ann""#),
    rule(CHAT, "prompt_cache_key", LeftOut, r#""k""#),
    rule(CHAT, "metadata", LeftOut, r#"{"a":"b"}"#),
    rule(CHAT, "store", LeftOut, "true"),
    rule(CHAT, "service_tier", LeftOut, r#""flex""#),
    rule(CHAT, "prediction", LeftOut, r#"{"type":"content","content":"x"}"#),
    rule(CHAT, "web_search_options", LeftOut, r#"{"search_context_size":"low"}"#),
    rule(RESPONSES, "reasoning", Translated, r#"{"effort":"low"}"#),
    rule(RESPONSES, "top_p", Translated, "0.5"),
    rule(RESPONSES, "text.verbosity", Translated, r#""low""#),
    rule(RESPONSES, "previous_response_id", Refused, r#""resp_1""#),
    rule(RESPONSES, "conversation", Refused, r#""conv_1""#),
    rule(RESPONSES, "prompt", Refused, r#"{"id":"pmpt_1"}"#),
    rule(RESPONSES, "background", Refused, "true"),
    rule(RESPONSES, "top_logprobs", Refused, "2"),
    rule(RESPONSES, "store", LeftOut, "true"),
    rule(RESPONSES, "include", LeftOut, r#"["reasoning.encrypted_content"]"#),
    rule(RESPONSES, "metadata", LeftOut, r#"{"a":"b"}"#),
    rule(RESPONSES, "service_tier", LeftOut, r#""flex""#),
    rule(RESPONSES, "truncation", LeftOut, r#""auto""#),
    rule(RESPONSES, "max_tool_calls", LeftOut, "3"),
    rule(RESPONSES, "user", LeftOut, r#""ann""#),
    rule(RESPONSES, "safety_identifier", LeftOut, r#""ann""#),
    rule(RESPONSES, "prompt_cache_key", LeftOut, r#""k""#),
    rule(RESPONSES, "stream_options", LeftOut, r#"{"include_obfuscation":false}"#),
    rule(ANTHROPIC, "thinking", Translated, r#"{"type":"enabled","budget_tokens":2048}"#),
    rule(ANTHROPIC, "output_config.effort", Translated, r#""low""#),
    rule(ANTHROPIC, "top_p", Translated, "0.5"),
    rule(ANTHROPIC, "top_k", Translated, "5"),
    rule(ANTHROPIC, "thread", Refused, r#"{"type":"create"}"#),
    rule(ANTHROPIC, "container", Refused, r#""container_1""#),
    rule(ANTHROPIC, "metadata", LeftOut, r#"{"user_id":"ann"}"#),
    rule(ANTHROPIC, "service_tier", LeftOut, r#""auto""#),
    rule(ANTHROPIC, "context_management", LeftOut, r#"{"edits":[]}"#),
    rule(ANTHROPIC, "cache_control", LeftOut, r#"{"type":"ephemeral"}"#),
    rule(ANTHROPIC, "mcp_servers", Refused, r#"[{"type":"url","url":"https://m.example","name":"m"}]"#),
    rule(GEMINI, "generationConfig.topP", Translated, "0.5"),
    rule(GEMINI, "generationConfig.topK", Translated, "5"),
    rule(GEMINI, "generationConfig.seed", Translated, "7"),
    rule(GEMINI, "generationConfig.frequencyPenalty", Translated, "0.5"),
    rule(GEMINI, "generationConfig.presencePenalty", Translated, "0.5"),
    rule(GEMINI, "generationConfig.thinkingConfig", Translated, r#"{"thinkingBudget":2048}"#),
    rule(GEMINI, "generationConfig.candidateCount", Refused, "2"),
    rule(GEMINI, "generationConfig.responseLogprobs", Refused, "true"),
    rule(GEMINI, "generationConfig.responseModalities", Refused, r#"["TEXT","IMAGE"]"#),
    rule(GEMINI, "generationConfig.speechConfig", Refused, r#"{"languageCode":"de"}"#),
    rule(GEMINI, "generationConfig.mediaResolution", LeftOut, r#""MEDIA_RESOLUTION_LOW""#),
    rule(GEMINI, "cachedContent", Refused, r#""cachedContents/1""#),
    rule(GEMINI, "safetySettings", LeftOut, r#"[{"category":"c","threshold":"BLOCK_NONE"}]"#),
    rule(GEMINI, "labels", LeftOut, r#"{"a":"b"}"#),
];

/// Returns the fate of each known field of each format.
pub fn field_rules() -> &'static [FieldRule] {
    RULES
}

/// Returns whether a value has an effect: defaults of the APIs have none.
fn has_effect(name: &str, value: &Value) -> bool {
    let is_text_only = |list: &[Value]| {
        list.iter().all(|kind| kind.as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("text")))
    };
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) if matches!(name, "n" | "candidateCount") => number.as_u64() != Some(1),
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) if matches!(name, "modalities" | "responseModalities") => !is_text_only(list),
        Value::Array(list) => !list.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(true) => true,
    }
}

/// Returns the first field that another format's provider must not answer without.
pub(crate) fn refused(format: &str, extra: &Map<String, Value>) -> Option<&'static str> {
    let value = |field: &str| match field.split_once('.') {
        Some((outer, inner)) => extra.get(outer)?.get(inner),
        None => extra.get(field),
    };
    let is_refused = |rule: &&FieldRule| {
        let name = rule.field.rsplit('.').next().unwrap_or(rule.field);
        rule.format == format
            && rule.fate == Refused
            && value(rule.field).is_some_and(|value| has_effect(name, value))
    };
    RULES.iter().find(is_refused).map(|rule| rule.field)
}

/// Returns the names of fields that are left out: inner names for a configuration.
pub(crate) fn names(extra: Map<String, Value>) -> impl Iterator<Item = String> {
    let is_set = |(name, value): &(String, Value)| !value.is_null() && has_effect_or_unknown(name, value);
    let nested = extra.into_iter().filter(is_set).flat_map(|(name, value)| match (name.as_str(), value) {
        ("generationConfig" | "output_config" | "text", Value::Object(fields)) => {
            fields.into_iter().map(|(name, _)| name).collect()
        }
        _ => vec![name],
    });
    nested.collect::<Vec<_>>().into_iter()
}

/// Returns whether a field is worth naming: a refused field at its default is not.
fn has_effect_or_unknown(name: &str, value: &Value) -> bool {
    let is_refused = RULES.iter().any(|rule| rule.field == name && rule.fate == Refused);
    !is_refused || has_effect(name, value)
}
