//! Converts options of the format to the options that all formats share.

use serde_json::Value;
use windlass_protocol::{Effort, OutputFormat, Request};
use windlass_wire::{SamplingKind, SamplingOption, keep_tools, take_field};

use crate::names::{CHOICE, CONFIG, RESPONSE_SCHEMA};
use crate::tools::CALLING;

/// The field with the type of the answer. `text/plain` is the default.
const MIME_TYPE: &str = "responseMimeType";

/// Moves the fields of this format into the shared options.
pub(crate) fn share(request: &mut Request) -> Vec<SamplingOption> {
    share_choice(request);
    let is_text = request.output == OutputFormat::Text;
    let options = &mut request.options;
    // A system instruction of several parts is already the request's prompt.
    options.extra.remove("systemInstruction");
    let Some(Value::Object(config)) = options.extra.get_mut(CONFIG) else { return Vec::new() };
    if !is_text {
        // A schema in the API's own dialect is already read.
        config.remove(RESPONSE_SCHEMA);
    } else if config.get(MIME_TYPE).is_some_and(|kind| kind == "text/plain") {
        config.remove(MIME_TYPE);
    }
    options.top_p = take_field(config, "topP", Value::as_f64).or(options.top_p);
    options.seed = take_field(config, "seed", Value::as_u64).or(options.seed);
    if let Some(Value::Object(mut thinking)) = config.remove("thinkingConfig") {
        let level = thinking.get("thinkingLevel").and_then(Value::as_str).map(str::to_ascii_lowercase);
        let budget = thinking.remove("thinkingBudget").and_then(|budget| budget.as_i64());
        let effort = level.and_then(|level| level.parse().ok()).or(match budget {
            Some(0) => Some(Effort::Off),
            // A negative budget lets the model decide.
            Some(tokens) => u64::try_from(tokens).ok().map(Effort::Budget),
            None => None,
        });
        options.reasoning = effort.or(options.reasoning);
    }
    let kinds = [
        (SamplingKind::TopK, "topK"),
        (SamplingKind::FrequencyPenalty, "frequencyPenalty"),
        (SamplingKind::PresencePenalty, "presencePenalty"),
    ];
    let take = |(kind, name)| Some(SamplingOption { kind, name, value: config.remove(name)? });
    kinds.into_iter().filter_map(take).collect()
}

/// Takes a choice that `ToolChoice` cannot express, whose mode is already read. One among some tools removes the others, and
/// one without tools has no effect.
fn share_choice(request: &mut Request) {
    let Some(mut config) = request.options.extra.remove(CHOICE) else { return };
    if let Some(config) = config.as_object_mut()
        && let Some(calling) = config.get(CALLING)
        && (request.tools.is_empty() || restrict_tools(request, calling))
    {
        config.remove(CALLING);
    }
    request.options.extra.insert(CHOICE.to_owned(), config);
}

/// Returns false if a choice remains that another format cannot express.
fn restrict_tools(request: &mut Request, calling: &Value) -> bool {
    let Some(allowed) = calling.get("allowedFunctionNames").and_then(Value::as_array) else { return true };
    let names: Option<Vec<&str>> = allowed.iter().map(Value::as_str).collect();
    names.is_some_and(|names| keep_tools(request, &names))
}
