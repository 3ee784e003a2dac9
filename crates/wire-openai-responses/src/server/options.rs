//! Converts options of the format to the options that all formats share.

use serde::Deserialize as _;
use serde_json::Value;
use windlass_protocol::{Request, Verbosity};
use windlass_wire::{SamplingOption, keep_tools, read_effort, take_field};

/// Moves the fields of this format into the shared options.
pub(crate) fn share(request: &mut Request) -> Vec<SamplingOption> {
    share_choice(request);
    let options = &mut request.options;
    let extra = &mut options.extra;
    options.top_p = take_field(extra, "top_p", Value::as_f64).or(options.top_p);
    if let Some(Value::Object(reasoning)) = extra.get_mut("reasoning") {
        options.reasoning = take_field(reasoning, "effort", read_effort).or(options.reasoning);
    }
    if let Some(Value::Object(text)) = extra.get_mut("text") {
        options.verbosity =
            take_field(text, "verbosity", |word| Verbosity::deserialize(word).ok()).or(options.verbosity);
    }
    Vec::new()
}

/// Takes a choice among some tools, whose mode is already read: it removes the other tools.
fn share_choice(request: &mut Request) {
    let Some(choice) = request.options.extra.remove("tool_choice") else { return };
    if !allowed_names(&choice).is_some_and(|names| keep_tools(request, &names)) {
        request.options.extra.insert("tool_choice".to_owned(), choice);
    }
}

fn allowed_names(choice: &Value) -> Option<Vec<&str>> {
    let tools = choice.get("tools")?.as_array()?;
    tools.iter().map(|tool| tool.get("name")?.as_str()).collect()
}
