//! Translates stop reasons, usage and opaque data to this format.

use serde::Serialize;
use serde_json::{Map, Value, json};
use windlass_protocol::{Opaque, StopReason, Unknown, Usage};

use crate::names::NAME;
use crate::stop::stop_reason;

/// Returns the finish reason of this format. Only a reason that we do not know keeps the provider's word.
pub(crate) fn finish_word<'a>(reason: &'a StopReason, raw: &'a str, refused: bool) -> &'a str {
    match reason {
        StopReason::Calls => "tool_calls",
        StopReason::Length | StopReason::ContextWindow => "length",
        StopReason::ContentFilter => "content_filter",
        // A refusal with text ends like an answer; one without text counts as filtered.
        StopReason::Refusal if !refused => "content_filter",
        StopReason::Error => "error",
        StopReason::Unknown(word) if stop_reason(raw) == *reason => word,
        // The format does not have a finish reason for a stop sequence or a pause.
        _ => "stop",
    }
}

/// The usage of an answer in this format.
#[derive(Serialize)]
pub(crate) struct UsageFields {
    completion_tokens: u64,
    completion_tokens_details: CompletionDetails,
    prompt_tokens: u64,
    prompt_tokens_details: PromptDetails,
    total_tokens: u64,
}

#[derive(Serialize)]
struct CompletionDetails {
    reasoning_tokens: u64,
}

#[derive(Serialize)]
struct PromptDetails {
    cache_write_tokens: u64,
    cached_tokens: u64,
}

pub(crate) fn usage(usage: &Usage) -> UsageFields {
    UsageFields {
        completion_tokens: usage.output_tokens,
        completion_tokens_details: CompletionDetails { reasoning_tokens: usage.reasoning_tokens },
        prompt_tokens: usage.input_tokens,
        prompt_tokens_details: PromptDetails {
            cache_write_tokens: usage.cache_write_tokens,
            cached_tokens: usage.cache_read_tokens,
        },
        total_tokens: usage.input_tokens.saturating_add(usage.output_tokens),
    }
}

/// Returns the `reasoning_details` of a server of this format.
pub(crate) fn details(opaque: Option<&Opaque>) -> Option<&Value> {
    opaque?.for_wire(NAME)?.get("reasoning_details")
}

/// Returns the field in which a server of this format sent the reasoning.
pub(crate) fn thought_field(opaque: Option<&Opaque>) -> Option<&str> {
    opaque?.for_wire(NAME)?.get("field")?.as_str()
}

/// Returns the text of a refusal, which formats keep as a part with the field `refusal`.
pub(crate) fn refusal(unknown: &Unknown) -> Option<&str> {
    unknown.value.get("refusal")?.as_str()
}

/// Returns the source of a text as an annotation of this format. The Responses format has the fields of the source
/// in the annotation itself.
pub(crate) fn annotation(value: &Value) -> Option<Value> {
    let fields =
        value.as_object().filter(|fields| fields.get("type").is_some_and(|kind| kind == "url_citation"))?;
    if fields.contains_key("url_citation") {
        return Some(value.clone());
    }
    let source: Map<String, Value> = fields
        .iter()
        .filter(|(name, _)| *name != "type")
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    source.contains_key("url").then(|| json!({ "type": "url_citation", "url_citation": source }))
}

/// Returns the finish of an answer with several: the last one, but calls stay calls if only the end of a text follows.
pub(crate) fn merge_finish(
    earlier: Option<(StopReason, String)>,
    reason: &StopReason,
    raw: &str,
) -> (StopReason, String) {
    match earlier {
        Some(calls @ (StopReason::Calls, _)) if *reason == StopReason::End => calls,
        _ => (reason.clone(), raw.to_owned()),
    }
}
