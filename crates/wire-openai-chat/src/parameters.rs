//! The fields of the request's options.

use windlass_protocol::{Effort, Request};

use crate::OpenAiChatOptions;
use crate::request::Field;

const LIMITS: [&str; 2] = ["max_tokens", "max_completion_tokens"];

/// Appends the fields of the options, except those of the tools.
pub(crate) fn encode<'a>(
    options: &'a OpenAiChatOptions,
    request: &'a Request,
    fields: &mut Vec<(&'a str, Field<'a>)>,
) {
    let asked = &request.options;
    // A limit in `extra`, under either name, takes precedence.
    let is_limited = LIMITS.iter().any(|name| asked.extra.contains_key(*name));
    if let (Some(tokens), false) = (asked.max_output_tokens, is_limited) {
        fields.push((options.max_tokens_field.as_str(), Field::Count(tokens)));
    }
    fields.extend(asked.temperature.map(|value| ("temperature", Field::Float(value))));
    fields.extend(asked.top_p.map(|value| ("top_p", Field::Float(value))));
    if !asked.stop_sequences.is_empty() {
        fields.push(("stop", Field::Texts(&asked.stop_sequences)));
    }
    fields.extend(asked.seed.map(|seed| ("seed", Field::Count(seed))));
    fields.extend(asked.reasoning.map(|effort| ("reasoning_effort", Field::Text(word(effort)))));
    fields.extend(asked.verbosity.map(|verbosity| ("verbosity", Field::Text(verbosity.as_str()))));
    fields.extend(asked.service_tier.as_deref().map(|tier| ("service_tier", Field::Text(tier))));
    if !asked.metadata.is_empty() {
        fields.push(("metadata", Field::Labels(&asked.metadata)));
    }
}

/// Returns the API's word for an effort. API reference, `reasoning_effort`: "none, minimal, low, medium, high, and
/// xhigh".
fn word(effort: Effort) -> &'static str {
    match effort.word() {
        None => "none",
        Some("max") => "xhigh",
        Some(word) => word,
    }
}
