//! The amount that a request may use at most, and the errors of a client whose limits it would pass.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use windlass_protocol::{Prices, Usage};
use windlass_tokens::Tokenizer;
use windlass_wire::{ProviderError, ProviderErrorKind};

use super::accounts::{Amount, Denial, LimitKind};
use super::amounts::format_amount;
use crate::estimate;

/// The output tokens of a request that names no maximum, if the catalogue does not know the model either.
const DEFAULT_OUTPUT: u64 = 8_192;

/// The wait in the answer when the use of a budget cannot be recorded. The disk gets room by the work of a person.
const UNRECORDED_WAIT: Duration = Duration::from_secs(10);

/// The tokens that a request may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ExpectedTokens {
    pub(super) input: u64,
    pub(super) output: u64,
}

/// The fields that bound the answer, in all formats. A field that exists twice is an error: which of the two a provider
/// takes is not known.
#[derive(Default, Deserialize)]
#[serde(default)]
struct OutputFields {
    max_tokens: Value,
    max_completion_tokens: Value,
    max_output_tokens: Value,
    n: Value,
    #[serde(rename = "generationConfig")]
    generation: Option<GenerationFields>,
    generation_config: Option<GenerationFields>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct GenerationFields {
    #[serde(rename = "maxOutputTokens")]
    maximum: Value,
    max_output_tokens: Value,
    #[serde(rename = "candidateCount")]
    candidates: Value,
    candidate_count: Value,
}

/// Estimates the input tokens of a request and bounds its output tokens. `known_maximum` is that of the model.
///
/// # Errors
/// The body is not JSON, or has a field that bounds the answer twice.
pub(super) fn expect_tokens(
    body: &[u8],
    known_maximum: Option<u64>,
) -> Result<ExpectedTokens, ProviderError> {
    let text = windlass_wire::decode_text(body);
    let text = text.trim_start_matches('\u{feff}');
    let fields: OutputFields = serde_json::from_str(text).map_err(|error| invalid(&error.to_string()))?;
    let input = estimate::input_tokens(text.as_bytes(), &Tokenizer::Unknown)
        .ok_or_else(|| invalid("the body is not a JSON object"))?;
    let mut maxima = vec![fields.max_tokens, fields.max_completion_tokens, fields.max_output_tokens];
    let mut counts = vec![fields.n];
    for generation in [fields.generation, fields.generation_config].into_iter().flatten() {
        maxima.extend([generation.maximum, generation.max_output_tokens]);
        counts.extend([generation.candidates, generation.candidate_count]);
    }
    let maximum = maxima.iter().filter_map(read_number).max();
    let count = counts.iter().filter_map(read_number).max().unwrap_or(1).max(1);
    let output = maximum.or(known_maximum).unwrap_or(DEFAULT_OUTPUT).saturating_mul(count);
    Ok(ExpectedTokens { input, output })
}

/// Reads a number that a provider may take for an integer: `1024`, `1024.0` or `"1024"`.
fn read_number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| {
            let text = number.as_f64().filter(|value| *value >= 0.0)?.ceil().to_string();
            Some(text.parse().unwrap_or(u64::MAX))
        }),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn invalid(what: &str) -> ProviderError {
    ProviderError::new(ProviderErrorKind::Request, None, what)
}

impl ExpectedTokens {
    /// Returns the amount to reserve. Input that the provider writes to its cache can cost more than other input.
    pub(super) fn amount(self, prices: Option<Prices>) -> Amount {
        let plain = Usage { input_tokens: self.input, output_tokens: self.output, ..Usage::default() };
        let cached = Usage { cache_write_tokens: self.input, ..plain };
        let cost = prices.map_or(0, |prices| prices.cost(&plain).max(prices.cost(&cached)));
        Amount { tokens: plain.total(), cost }
    }
}

/// Returns the error for a model without prices, which a budget in money cannot count.
pub(super) fn unknown_price(model: &str) -> ProviderError {
    let what = format!(
        "the price of the model {model:?} is not known, and the key of this client has a budget in money"
    );
    ProviderError::new(ProviderErrorKind::Authentication, Some("permission_denied".to_owned()), what)
        .with_status(403)
}

/// Returns the error of a client whose limit a request would pass.
pub(super) fn denial_error(denial: Denial) -> ProviderError {
    match denial {
        Denial::Later { limit, wait } => later(limit, wait),
        Denial::TooLarge { limit, needed, most } => {
            let (needed, most) = match limit {
                LimitKind::CostPerDay | LimitKind::CostPerMonth => {
                    (format_amount(needed), format_amount(most))
                }
                _ => (needed.to_string(), most.to_string()),
            };
            let what = format!(
                "the request may use {needed}, and {} of this client is {most}; shorten the request or lower its \
                 maximum of output tokens",
                describe(limit)
            );
            invalid(&what)
        }
        Denial::Unrecorded => {
            let what = "the gateway cannot write the use of this client's budget to its file, so it refuses the \
                        request; its operator must make the file writable again";
            ProviderError::new(ProviderErrorKind::Server, Some("usage_not_recorded".to_owned()), what)
                .with_status(503)
                .with_retry_after(Some(UNRECORDED_WAIT))
        }
    }
}

fn later(limit: LimitKind, wait: Duration) -> ProviderError {
    let is_rate = matches!(limit, LimitKind::RequestsPerMinute | LimitKind::TokensPerMinute);
    let (kind, code) = if is_rate {
        (ProviderErrorKind::RateLimit, "rate_limit_exceeded")
    } else {
        (ProviderErrorKind::Quota, "insufficient_quota")
    };
    let what = format!("{} of this client is used up or reserved by open requests", describe(limit));
    ProviderError::new(kind, Some(code.to_owned()), what).with_status(429).with_retry_after(Some(wait))
}

fn describe(limit: LimitKind) -> &'static str {
    match limit {
        LimitKind::RequestsPerMinute => "the limit of requests per minute",
        LimitKind::TokensPerMinute => "the limit of tokens per minute",
        LimitKind::TokensPerDay => "the limit of tokens per day",
        LimitKind::TokensPerMonth => "the limit of tokens per month",
        LimitKind::CostPerDay => "the budget per day",
        LimitKind::CostPerMonth => "the budget per month",
    }
}

/// Returns true for a request whose provider continues its answer after the response. A body that cannot be read counts as
/// one: its provider may take it in another way.
pub(super) fn is_background(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Background {
        #[serde(default)]
        background: Option<bool>,
    }
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    serde_json::from_slice::<Background>(body).map_or(true, |request| request.background == Some(true))
}
