//! Options of the format in the words that all formats share.

use serde_json::{Map, Value};
use windlass_protocol::{Effort, RequestOptions, Verbosity};
use windlass_wire::SamplingOption;

/// Moves the fields of this format into the shared options.
pub(crate) fn share(options: &mut RequestOptions) -> Vec<SamplingOption> {
    let extra = &mut options.extra;
    options.top_p = take_number(extra, "top_p").or(options.top_p);
    if let Some(Value::Object(mut reasoning)) = extra.remove("reasoning") {
        options.reasoning = take_effort(&mut reasoning, "effort").or(options.reasoning);
    }
    if let Some(Value::Object(text)) = extra.get_mut("text") {
        options.verbosity = take_verbosity(text).or(options.verbosity);
    }
    Vec::new()
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
