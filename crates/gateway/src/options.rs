//! Options of a request in one vocabulary: read from the fields of one format, kept where the other has them.

use serde_json::{Map, Value, json};
use windlass_protocol::{Effort, Request, Role, ToolChoice, Verbosity};

const CONFIG: &str = "generationConfig";

/// Moves the fields of `from` that have a meaning in `to` into the request's options, and leaves the others.
/// Returns the names of options that the other provider would refuse in this request.
pub(crate) fn translate(request: &mut Request, from: &str, to: &str) -> Vec<String> {
    let mut extra = std::mem::take(&mut request.options.extra);
    let mut kept = Map::new();
    match from {
        "openai-chat" => chat(request, &mut extra, &mut kept, to),
        "openai-responses" => responses(request, &mut extra, to),
        "anthropic" => anthropic(request, &mut extra, &mut kept, to),
        "gemini" => gemini(request, &mut extra, &mut kept, to),
        _ => {}
    }
    request.options.extra = kept;
    let lost = settle(request, to);
    let unread = crate::fields::names(extra);
    lost.into_iter().map(str::to_owned).chain(unread).collect()
}

fn chat(request: &mut Request, extra: &mut Map<String, Value>, kept: &mut Map<String, Value>, to: &str) {
    // The limit is already an option, and the gateway itself writes the usage.
    for name in ["max_completion_tokens", "max_tokens", "stream_options"] {
        extra.remove(name);
    }
    request.options.reasoning = take_effort(extra, "reasoning_effort").or(request.options.reasoning);
    request.options.top_p = take_number(extra, "top_p").or(request.options.top_p);
    if takes_seed(to) {
        request.options.seed = take_count(extra, "seed").or(request.options.seed);
    }
    if takes_verbosity(to) {
        request.options.verbosity = take_verbosity(extra).or(request.options.verbosity);
    }
    if to == "gemini" {
        let names = [("frequency_penalty", "frequencyPenalty"), ("presence_penalty", "presencePenalty")];
        configure(extra, kept, &names);
    }
}

fn responses(request: &mut Request, extra: &mut Map<String, Value>, to: &str) {
    request.options.top_p = take_number(extra, "top_p").or(request.options.top_p);
    if let Some(Value::Object(mut reasoning)) = extra.remove("reasoning") {
        request.options.reasoning = take_effort(&mut reasoning, "effort").or(request.options.reasoning);
    }
    if takes_verbosity(to)
        && let Some(Value::Object(text)) = extra.get_mut("text")
    {
        request.options.verbosity = take_verbosity(text).or(request.options.verbosity);
    }
}

fn anthropic(request: &mut Request, extra: &mut Map<String, Value>, kept: &mut Map<String, Value>, to: &str) {
    // The older name of the output's format is already read.
    extra.remove("output_format");
    request.options.top_p = take_number(extra, "top_p").or(request.options.top_p);
    if to == "gemini" {
        configure(extra, kept, &[("top_k", "topK")]);
    }
    let config = extra.get_mut("output_config").and_then(Value::as_object_mut);
    let word = config.and_then(|config| take_effort(config, "effort"));
    let thinking = extra.remove("thinking").unwrap_or_default();
    let effort = match thinking.get("type").and_then(Value::as_str) {
        Some("disabled") => Some(Effort::Off),
        Some("enabled") => {
            word.or_else(|| thinking.get("budget_tokens").and_then(Value::as_u64).map(Effort::Budget))
        }
        _ => word,
    };
    request.options.reasoning = effort.or(request.options.reasoning);
}

fn gemini(request: &mut Request, extra: &mut Map<String, Value>, kept: &mut Map<String, Value>, to: &str) {
    // A system instruction of several parts is already the request's prompt.
    extra.remove("systemInstruction");
    let Some(Value::Object(config)) = extra.get_mut(CONFIG) else { return };
    // A schema in the API's own dialect is already read.
    config.remove("responseSchema");
    request.options.top_p = take_number(config, "topP").or(request.options.top_p);
    if takes_seed(to) {
        request.options.seed = take_count(config, "seed").or(request.options.seed);
    }
    if let Some(Value::Object(mut thinking)) = config.remove("thinkingConfig") {
        let level = thinking.get("thinkingLevel").and_then(Value::as_str).map(str::to_ascii_lowercase);
        let budget = thinking.remove("thinkingBudget").and_then(|budget| budget.as_i64());
        let effort = level.and_then(|level| level.parse().ok()).or(match budget {
            Some(0) => Some(Effort::Off),
            // A negative budget lets the model decide.
            Some(tokens) => u64::try_from(tokens).ok().map(Effort::Budget),
            None => None,
        });
        request.options.reasoning = effort.or(request.options.reasoning);
    }
    if to == "openai-chat" {
        for (name, other) in
            [("frequencyPenalty", "frequency_penalty"), ("presencePenalty", "presence_penalty")]
        {
            kept.extend(config.remove(name).map(|value| (other.to_owned(), value)));
        }
    }
    if to == "anthropic" {
        kept.extend(config.remove("topK").map(|value| ("top_k".to_owned(), value)));
    }
}

/// Removes options that the provider would refuse together with others of this request.
fn settle(request: &mut Request, to: &str) -> Vec<&'static str> {
    let mut lost = Vec::new();
    if to != "anthropic" {
        return lost;
    }
    let options = &mut request.options;
    if options.temperature.is_some() && options.top_p.take().is_some() {
        // Models since Claude 4.5 take only one of the two.
        lost.push("top_p");
    }
    // Thinking excludes forced calls and changed sampling, and an open round of calls must begin with the
    // thoughts of this API.
    let is_forced = matches!(options.tool_choice, ToolChoice::Required | ToolChoice::Named(_));
    let is_sampled = options.temperature.is_some_and(|value| (value - 1.0).abs() > f64::EPSILON)
        || options.top_p.is_some_and(|value| value < 0.95)
        || options.extra.contains_key("top_k");
    let is_in_round = request.messages.last().is_some_and(|message| message.role == Role::Tool);
    let thinks = options.reasoning.is_some_and(|effort| effort.word().is_some());
    if thinks && (is_forced || is_sampled || is_in_round) {
        options.reasoning = None;
        lost.push("reasoning effort");
    }
    lost
}

fn takes_seed(to: &str) -> bool {
    matches!(to, "openai-chat" | "gemini")
}

fn takes_verbosity(to: &str) -> bool {
    to.starts_with("openai-")
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

/// Moves fields into Gemini's configuration.
fn configure(extra: &mut Map<String, Value>, kept: &mut Map<String, Value>, names: &[(&str, &str)]) {
    for (name, own) in names {
        let Some(value) = extra.remove(*name) else { continue };
        let config = kept.entry(CONFIG).or_insert_with(|| json!({}));
        if let Some(config) = config.as_object_mut() {
            config.insert((*own).to_owned(), value);
        }
    }
}
