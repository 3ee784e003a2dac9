//! Options of a request in one vocabulary: read from the fields of one format, kept where the other has them.

use serde_json::{Map, Value, json};
use windlass_protocol::{Request, RequestOptions};
use windlass_wire::{SamplingKind, SamplingOption, Server, Wire};

use crate::loss::Loss;
use crate::{fields, instructions};

/// Moves the fields of `from` that have a meaning in `to`. Returns the others, and the options that the other provider would
/// refuse in this request.
pub(crate) fn translate(request: &mut Request, from: &dyn Server, to: &dyn Wire) -> Vec<Loss> {
    let sampling = from.share_options(request);
    let unread = std::mem::take(&mut request.options.extra);
    let mut losses = fields::find_losses(from, &unread, request);
    for option in sampling {
        if is_idle(&option) || make_greedy(&option, &mut request.options, to) {
            continue;
        }
        match to.sampling_field(option.kind) {
            Some(field) => insert_option(&mut request.options.extra, field, option),
            None => losses.push(Loss::option(option.name)),
        }
    }
    settle_share(&mut request.options);
    if !to.takes_seed() && request.options.seed.take().is_some() {
        losses.push(Loss::option("seed"));
    }
    if !to.takes_verbosity()
        && let Some(sentence) = request.options.verbosity.take().and_then(instructions::verbosity)
    {
        instructions::add(request, sentence);
    }
    losses.extend(to.settle_options(request).into_iter().map(Loss::from));
    losses
}

/// Returns true for the value with which the client's API samples by itself: no penalty, and the `topK` of Gemini's models.
/// Gemini's clients send it in each request.
fn is_idle(option: &SamplingOption) -> bool {
    let Some(value) = option.value.as_f64() else { return option.value.is_null() };
    let is = |number: f64| (value - number).abs() < f64::EPSILON;
    is(0.0) || option.name == "topK" && (is(64.0) || is(40.0))
}

/// Expresses a `top_k` of 1, which takes the most likely token, by a temperature of 0 for a format without it.
fn make_greedy(option: &SamplingOption, options: &mut RequestOptions, to: &dyn Wire) -> bool {
    let is_one = option.kind == SamplingKind::TopK && option.value.as_f64() == Some(1.0);
    let is_greedy = is_one && to.sampling_field(option.kind).is_none();
    if is_greedy {
        options.temperature = Some(0.0);
    }
    is_greedy
}

/// Removes a `top_p` without an effect: the share of all tokens, and one beside a temperature of 0.
fn settle_share(options: &mut RequestOptions) {
    let is =
        |value: Option<f64>, number: f64| value.is_some_and(|value| (value - number).abs() < f64::EPSILON);
    if is(options.top_p, 1.0) || is(options.temperature, 0.0) {
        options.top_p = None;
    }
}

fn insert_option(extra: &mut Map<String, Value>, field: &str, option: SamplingOption) {
    match field.split_once('.') {
        None => {
            extra.insert(field.to_owned(), option.value);
        }
        Some((outer, inner)) => {
            let config = extra.entry(outer).or_insert_with(|| json!({}));
            if let Some(config) = config.as_object_mut() {
                config.insert(inner.to_owned(), option.value);
            }
        }
    }
}
