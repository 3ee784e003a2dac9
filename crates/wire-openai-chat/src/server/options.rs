//! Options of the format in the words that all formats share.

use serde_json::{Map, Value};
use windlass_protocol::{Effort, RequestOptions, Verbosity};
use windlass_wire::{SamplingKind, SamplingOption};

/// Moves the fields of this format into the shared options.
pub(crate) fn share(options: &mut RequestOptions) -> Vec<SamplingOption> {
    let extra = &mut options.extra;
    // The limit is already an option, and the encoder of the answer writes the usage.
    for name in ["max_completion_tokens", "max_tokens", "stream_options"] {
        extra.remove(name);
    }
    options.reasoning = take_effort(extra, "reasoning_effort").or(options.reasoning);
    options.top_p = take_number(extra, "top_p").or(options.top_p);
    options.seed = take_count(extra, "seed").or(options.seed);
    options.verbosity = take_verbosity(extra).or(options.verbosity);
    let kinds = [
        (SamplingKind::FrequencyPenalty, "frequency_penalty"),
        (SamplingKind::PresencePenalty, "presence_penalty"),
    ];
    let take = |(kind, name)| Some(SamplingOption { kind, name, value: extra.remove(name)? });
    kinds.into_iter().filter_map(take).collect()
}

fn take_effort(fields: &mut Map<String, Value>, name: &str) -> Option<Effort> {
    let word = fields.get(name)?.as_str()?;
    let effort = if word == "xhigh" { Some(Effort::Max) } else { word.parse().ok() }?;
    fields.remove(name);
    Some(effort)
}

fn take_verbosity(fields: &mut Map<String, Value>) -> Option<Verbosity> {
    let verbosity = serde_json::from_value(fields.get("verbosity")?.clone()).ok()?;
    fields.remove("verbosity");
    Some(verbosity)
}

fn take_number(fields: &mut Map<String, Value>, name: &str) -> Option<f64> {
    let number = fields.get(name)?.as_f64()?;
    fields.remove(name);
    Some(number)
}

fn take_count(fields: &mut Map<String, Value>, name: &str) -> Option<u64> {
    let count = fields.get(name)?.as_u64()?;
    fields.remove(name);
    Some(count)
}
