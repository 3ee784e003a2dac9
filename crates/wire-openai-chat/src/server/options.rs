//! Converts options of the format to the options that all formats share.

use serde::Deserialize as _;
use serde_json::Value;
use windlass_protocol::{Request, ToolChoice, Verbosity};
use windlass_wire::{SamplingKind, SamplingOption, keep_tools, read_effort, take_field};

/// Moves the fields of this format into the shared options.
pub(crate) fn share(request: &mut Request) -> Vec<SamplingOption> {
    share_choice(request);
    let options = &mut request.options;
    let extra = &mut options.extra;
    // The limit is already an option, and the encoder of the answer writes the usage.
    for name in ["max_completion_tokens", "max_tokens", "stream_options"] {
        extra.remove(name);
    }
    options.reasoning = take_field(extra, "reasoning_effort", read_effort).or(options.reasoning);
    options.top_p = take_field(extra, "top_p", Value::as_f64).or(options.top_p);
    options.seed = take_field(extra, "seed", Value::as_u64).or(options.seed);
    options.verbosity =
        take_field(extra, "verbosity", |word| Verbosity::deserialize(word).ok()).or(options.verbosity);
    let kinds = [
        (SamplingKind::FrequencyPenalty, "frequency_penalty"),
        (SamplingKind::PresencePenalty, "presence_penalty"),
    ];
    let take = |(kind, name)| Some(SamplingOption { kind, name, value: extra.remove(name)? });
    kinds.into_iter().filter_map(take).collect()
}

/// Takes a choice that [`ToolChoice`] cannot express: one among some tools removes the others.
fn share_choice(request: &mut Request) {
    let Some(choice) = request.options.extra.remove("tool_choice") else { return };
    // Mistral's name for `required` is already read.
    if choice.is_string() {
        return;
    }
    let allowed = choice.get("allowed_tools");
    if !allowed.and_then(allowed_names).is_some_and(|names| keep_tools(request, &names)) {
        request.options.extra.insert("tool_choice".to_owned(), choice);
        return;
    }
    let mode = allowed.and_then(|allowed| allowed.get("mode"));
    if mode.is_some_and(|mode| mode == "required") {
        request.options.tool_choice = ToolChoice::Required;
    }
}

fn allowed_names(allowed: &Value) -> Option<Vec<&str>> {
    allowed.get("tools")?.as_array()?.iter().map(tool_name).collect()
}

fn tool_name(tool: &Value) -> Option<&str> {
    tool.get("function").or_else(|| tool.get("custom"))?.get("name")?.as_str()
}
