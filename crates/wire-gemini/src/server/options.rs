//! Options of the format in the words that all formats share.

use serde_json::{Map, Value};
use windlass_protocol::{Effort, RequestOptions};
use windlass_wire::{SamplingKind, SamplingOption};

use crate::names::{CONFIG, RESPONSE_SCHEMA};

/// Moves the fields of this format into the shared options.
pub(crate) fn share(options: &mut RequestOptions) -> Vec<SamplingOption> {
    // A system instruction of several parts is already the request's prompt.
    options.extra.remove("systemInstruction");
    let Some(Value::Object(config)) = options.extra.get_mut(CONFIG) else { return Vec::new() };
    // A schema in the API's own dialect is already read.
    config.remove(RESPONSE_SCHEMA);
    options.top_p = take_number(config, "topP").or(options.top_p);
    options.seed = take_count(config, "seed").or(options.seed);
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
