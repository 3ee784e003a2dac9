//! The fields of the request's options.

use windlass_protocol::{Effort, Request};
use windlass_wire::EncodeError;

use crate::names::encode_error;
use crate::request::Field;

/// The options that the API does not have.
pub(crate) const MISSING: [&str; 3] = ["stop_sequences", "seed", "stored_cache"];

/// Appends the fields of the options, except those of the tools and of the text.
pub(crate) fn encode<'a>(
    request: &'a Request,
    fields: &mut Vec<(&'a str, Field<'a>)>,
) -> Result<(), EncodeError> {
    let asked = &request.options;
    if let Some(name) = asked.set_names().find(|name| MISSING.contains(name)) {
        return Err(encode_error(format!("the option `{name}`")));
    }
    fields.extend(asked.max_output_tokens.map(|tokens| ("max_output_tokens", Field::Count(tokens))));
    fields.extend(asked.temperature.map(|value| ("temperature", Field::Float(value))));
    fields.extend(asked.top_p.map(|value| ("top_p", Field::Float(value))));
    let effort = asked.reasoning.map(|effort| vec![("effort", Field::Text(word(effort)))]);
    fields.extend(effort.map(|effort| ("reasoning", Field::Object(effort))));
    fields.extend(asked.service_tier.as_deref().map(|tier| ("service_tier", Field::Text(tier))));
    if !asked.metadata.is_empty() {
        let labels = asked.metadata.iter().map(|(name, label)| (name.as_str(), Field::Text(label)));
        fields.push(("metadata", Field::Object(labels.collect())));
    }
    Ok(())
}

/// Returns the API's word for an effort. API reference, `reasoning.effort`: "none, minimal, low, medium, high, and
/// xhigh".
fn word(effort: Effort) -> &'static str {
    match effort.word() {
        None => "none",
        Some("max") => "xhigh",
        Some(word) => word,
    }
}
