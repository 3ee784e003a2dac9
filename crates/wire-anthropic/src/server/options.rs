//! Converts options of the format to the options that all formats share.

use serde_json::Value;
use windlass_protocol::{Effort, RequestOptions};
use windlass_wire::{SamplingKind, SamplingOption, read_effort, take_field};

/// Moves the fields of this format into the shared options.
pub(crate) fn share(options: &mut RequestOptions) -> Vec<SamplingOption> {
    let extra = &mut options.extra;
    // The older name of the output's format is already read.
    extra.remove("output_format");
    options.top_p = take_field(extra, "top_p", Value::as_f64).or(options.top_p);
    let config = extra.get_mut("output_config").and_then(Value::as_object_mut);
    let word = config.and_then(|config| take_field(config, "effort", read_effort));
    let thinking = extra.remove("thinking").unwrap_or_default();
    let effort = match thinking.get("type").and_then(Value::as_str) {
        Some("disabled") => Some(Effort::Off),
        Some("enabled") => {
            word.or_else(|| thinking.get("budget_tokens").and_then(Value::as_u64).map(Effort::Budget))
        }
        _ => word,
    };
    options.reasoning = effort.or(options.reasoning);
    let name = "top_k";
    let top_k = extra.remove(name);
    top_k.into_iter().map(|value| SamplingOption { kind: SamplingKind::TopK, name, value }).collect()
}
