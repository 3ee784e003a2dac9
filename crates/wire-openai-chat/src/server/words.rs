//! The words of this format for what an answer says.

use serde_json::{Value, json};
use windlass_protocol::{Opaque, StopReason, Unknown, Usage};

use crate::stop::stop_reason;
use crate::wire::NAME;

/// The reason for the stop. A word of this format stays; any other is said by its reason.
pub(crate) fn finish_word<'a>(reason: &'a StopReason, raw: &'a str, refused: bool) -> &'a str {
    match reason {
        StopReason::Calls => "tool_calls",
        StopReason::Length | StopReason::ContextWindow => "length",
        StopReason::ContentFilter => "content_filter",
        // A refusal in words ends as an answer does; one without words is a filter's.
        StopReason::Refusal if !refused => "content_filter",
        StopReason::Error => "error",
        StopReason::Unknown(word) if stop_reason(raw) == *reason => word,
        // The format has no word for a stop sequence or a pause.
        _ => "stop",
    }
}

pub(crate) fn usage(usage: &Usage) -> Value {
    let total = usage.input_tokens.saturating_add(usage.output_tokens);
    json!({
        "prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens, "total_tokens": total,
        "prompt_tokens_details": {
            "cached_tokens": usage.cache_read_tokens, "cache_write_tokens": usage.cache_write_tokens,
        },
        "completion_tokens_details": { "reasoning_tokens": usage.reasoning_tokens },
    })
}

/// `reasoning_details` of a server of this format.
pub(crate) fn details(opaque: Option<&Opaque>) -> Option<&Value> {
    opaque?.of(NAME)?.get("reasoning_details")
}

/// The field in which a server of this format gave the thoughts.
pub(crate) fn thought_field(opaque: Option<&Opaque>) -> Option<&str> {
    opaque?.of(NAME)?.get("field")?.as_str()
}

/// The words of a refusal, which formats keep as a part with the field `refusal`.
pub(crate) fn refusal(unknown: &Unknown) -> Option<&str> {
    unknown.value.get("refusal")?.as_str()
}

/// Whether a source is one of this format's annotations.
pub(crate) fn is_annotation(value: &Value) -> bool {
    value.get("type").is_some_and(|kind| kind == "url_citation")
}
