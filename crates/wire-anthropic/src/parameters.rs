//! The fields of the request's options.

use windlass_protocol::{Effort, Request, RequestOptions, Role, ToolChoice};
use windlass_wire::{EncodeError, ExcludedOption};

use crate::AnthropicOptions;
use crate::model::claude_version;
use crate::names::encode_error;
use crate::request::{Field, WireThinking};

/// The options that the API does not have.
pub(crate) const MISSING: [&str; 3] = ["seed", "verbosity", "stored_cache"];

/// The options of sampling, which the API has until version 2026-10-21.
const SAMPLING: [ExcludedOption; 3] =
    [ExcludedOption::Temperature, ExcludedOption::TopP, ExcludedOption::TopK];

/// The only label of a request that the API has.
const USER: &str = "user_id";

/// The smallest budget for thoughts. Extended thinking: "The minimum budget is 1,024 tokens".
pub(crate) const LEAST_BUDGET: u64 = 1024;

/// Appends the fields of the options, except those of the tools.
pub(crate) fn encode<'a>(
    options: &AnthropicOptions,
    request: &'a Request,
    fields: &mut Vec<(&'a str, Field<'a>)>,
) -> Result<(), EncodeError> {
    let asked = &request.options;
    if let Some(name) = asked.set_names().find(|name| MISSING.contains(name)) {
        return Err(encode_error(format!("the option `{name}`")));
    }
    if let Some(name) = unknown_sampling(options, asked).map(ExcludedOption::name) {
        return Err(encode_error(format!("the option `{name}` in version {}", options.version)));
    }
    fields.push(("max_tokens", Field::Count(output_limit(options, asked))));
    fields.extend(asked.temperature.map(|value| ("temperature", Field::Float(value))));
    fields.extend(asked.top_p.map(|value| ("top_p", Field::Float(value))));
    if !asked.stop_sequences.is_empty() {
        fields.push(("stop_sequences", Field::Texts(&asked.stop_sequences)));
    }
    fields.extend(thinking(options, request).map(|thinking| ("thinking", Field::Thinking(thinking))));
    fields.extend(asked.service_tier.as_deref().map(|tier| ("service_tier", Field::Text(tier))));
    if let Some(name) = unknown_label(asked) {
        return Err(encode_error(format!("the label `{name}` of the option `metadata`, except `{USER}`")));
    }
    if !asked.metadata.is_empty() {
        fields.push(("metadata", Field::Labels(&asked.metadata)));
    }
    Ok(())
}

/// Returns the first label that the API does not have.
pub(crate) fn unknown_label(asked: &RequestOptions) -> Option<&str> {
    asked.metadata.keys().map(String::as_str).find(|name| *name != USER)
}

/// Returns the first option of sampling, if the version of the API does not have them.
pub(crate) fn unknown_sampling(options: &AnthropicOptions, asked: &RequestOptions) -> Option<ExcludedOption> {
    if options.has_sampling() {
        return None;
    }
    let is_set = [
        asked.temperature.is_some(),
        asked.top_p.is_some(),
        asked.extra.get("top_k").is_some_and(|k| !k.is_null()),
    ];
    SAMPLING.into_iter().zip(is_set).find_map(|(option, is_set)| is_set.then_some(option))
}

/// Returns the output limit, which the API requires. The default limit is increased by the tokens of the requested
/// reasoning effort.
pub(crate) fn output_limit(options: &AnthropicOptions, asked: &RequestOptions) -> u64 {
    let thoughts = asked.reasoning.map_or(0, Effort::tokens);
    asked.max_output_tokens.unwrap_or(options.default_max_tokens.saturating_add(thoughts))
}

/// Returns the field `thinking` of a request with an option for it. Without the
/// field the API does not think.
pub(crate) fn thinking(options: &AnthropicOptions, request: &Request) -> Option<WireThinking> {
    let effort = request.options.reasoning.filter(|effort| effort.word().is_some())?;
    if is_adaptive(&request.model) {
        return Some(WireThinking::Adaptive);
    }
    // A word gives way to the limit of the answer; a number is sent as it is.
    let most = match effort {
        Effort::Budget(_) => u64::MAX,
        _ => output_limit(options, &request.options).saturating_sub(1),
    };
    Some(WireThinking::Enabled { budget_tokens: effort.tokens().min(most).max(LEAST_BUDGET) })
}

/// Returns the value of `output_config.effort`, which the models with adaptive thinking take: `low`, `medium`, `high`
/// or `max`.
pub(crate) fn effort_word(request: &Request) -> Option<&'static str> {
    let word = request.options.reasoning.filter(|_| is_adaptive(&request.model))?.word()?;
    Some(if word == "minimal" { "low" } else { word })
}

/// Returns true if the model decides itself how much it thinks: the models of Anthropic since version 4.6. Earlier ones,
/// and the models of other providers that speak this format, take a budget.
///
/// The API for Opus 4.7: "`thinking.type.enabled` is not supported for this model. Use `thinking.type.adaptive` and
/// `output_config.effort`".
fn is_adaptive(model: &str) -> bool {
    claude_version(model).is_some_and(|version| version >= (4, 6))
}

/// Removes options that the API refuses together: thinking excludes forced calls and changed sampling, and an open
/// round of calls must begin with thoughts of this API. Models since Claude 4.5 take only one of temperature and
/// `top_p`. A version of the API without sampling takes neither.
pub(crate) fn settle(settings: &AnthropicOptions, request: &mut Request) -> Vec<ExcludedOption> {
    let mut lost = Vec::new();
    while let Some(option) = unknown_sampling(settings, &request.options) {
        match option {
            ExcludedOption::Temperature => request.options.temperature = None,
            ExcludedOption::TopP => request.options.top_p = None,
            other => drop(request.options.extra.remove(other.name())),
        }
        lost.push(option);
    }
    let is_in_round = request.messages.last().is_some_and(|message| message.role == Role::Tool);
    let options = &mut request.options;
    // The API samples at 1 without a temperature.
    if options.top_p.is_some() && options.temperature.is_some_and(|value| (value - 1.0).abs() <= f64::EPSILON)
    {
        options.temperature = None;
    }
    if options.temperature.is_some() && options.top_p.take().is_some() {
        lost.push(ExcludedOption::TopP);
    }
    let is_forced = matches!(options.tool_choice, ToolChoice::Required | ToolChoice::Named(_));
    let is_sampled = options.temperature.is_some_and(|value| (value - 1.0).abs() > f64::EPSILON)
        || options.top_p.is_some_and(|value| value < 0.95)
        || options.extra.contains_key("top_k");
    let thinks = options.reasoning.is_some_and(|effort| effort.word().is_some());
    if thinks && (is_forced || is_sampled || is_in_round) {
        options.reasoning = None;
        lost.push(ExcludedOption::ReasoningEffort);
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::is_adaptive;

    #[test]
    fn the_models_since_4_6_are_adaptive() {
        for model in
            ["claude-opus-4-6", "claude-opus-4.7", "claude-sonnet-5", "anthropic.claude-opus-4-8-v1:0"]
        {
            assert!(is_adaptive(model), "{model}");
        }
        let earlier = [
            "claude-3-7-sonnet-20250219",
            "claude-sonnet-4-20250514",
            "claude-haiku-4-5-20251001",
            "us.anthropic.claude-opus-4-1-20250805-v1:0",
            "kimi-k2",
        ];
        for model in earlier {
            assert!(!is_adaptive(model), "{model}");
        }
    }
}
