//! Prices of tokens.

use serde::{Deserialize, Serialize};

use crate::Usage;

/// The number of tokens to which a price applies.
const MILLION: u128 = 1_000_000;

/// The prices of a million tokens, in millionths of a currency. All zero means that the prices are unknown.
///
/// ```
/// use windlass_protocol::{Prices, Usage};
/// // Three dollars a million tokens in, fifteen out.
/// let prices = Prices { input: 3_000_000, output: 15_000_000, ..Prices::default() };
/// let usage = Usage { input_tokens: 1_000, output_tokens: 100, ..Usage::default() };
/// assert_eq!(prices.cost(&usage), 4_500);
/// assert!(prices.is_known() && !Prices::default().is_known());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..Prices::default()`")]
pub struct Prices {
    /// Tokens of requests outside the provider's cache.
    pub input: u64,
    /// Tokens of answers.
    pub output: u64,
    /// Tokens of requests that the provider read from its cache.
    pub cache_read: u64,
    /// Tokens of requests that the provider wrote to its cache.
    pub cache_write: u64,
    /// The prices of long requests, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long: Option<LongPrices>,
}

/// The prices of an answer to a long request, in the units of [`Prices`]. They apply to all tokens of the answer and
/// its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "the prices of the table, and the bound at which they begin")]
pub struct LongPrices {
    /// The largest request, in input tokens, to which these prices do not apply.
    pub above: u64,
    /// Tokens of requests outside the provider's cache.
    pub input: u64,
    /// Tokens of answers.
    pub output: u64,
    /// Tokens of requests that the provider read from its cache.
    pub cache_read: u64,
    /// Tokens of requests that the provider wrote to its cache.
    pub cache_write: u64,
}

impl Prices {
    /// Returns whether the prices are known, so that a cost computed with them means something.
    pub fn is_known(&self) -> bool {
        *self != Self::default()
    }

    /// Parses a decimal amount such as `3` or `0.25` into millionths. Returns `None` for anything else, and for more than
    /// six digits after the point.
    ///
    /// ```
    /// use windlass_protocol::Prices;
    /// assert_eq!(Prices::parse_amount("0.25"), Some(250_000));
    /// assert_eq!(Prices::parse_amount("-1"), None);
    /// ```
    pub fn parse_amount(text: &str) -> Option<u64> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_number(whole) || !is_number(part) || part.len() > 6 {
            return None;
        }
        format!("{whole}{part:0<6}").parse().ok()
    }

    /// Returns the cost of one answer in millionths of the currency, rounded up.
    ///
    /// Costs are added for each answer, because the prices of long requests depend on the size of one request:
    /// the sum of several usages has the right cost only if the prices have no [`long`](Self::long) part.
    pub fn cost(&self, usage: &Usage) -> u64 {
        let long = self.long.filter(|long| usage.input_tokens > long.above);
        let [input, output, cache_read, cache_write] = match long {
            Some(long) => [long.input, long.output, long.cache_read, long.cache_write],
            None => [self.input, self.output, self.cache_read, self.cache_write],
        };
        let cached = usage.cache_read_tokens.saturating_add(usage.cache_write_tokens);
        let parts = [
            (usage.input_tokens.saturating_sub(cached), input),
            (usage.output_tokens, output),
            (usage.cache_read_tokens, cache_read),
            (usage.cache_write_tokens, cache_write),
        ];
        let of_a_million = parts
            .iter()
            .map(|(tokens, price)| u128::from(*tokens).saturating_mul(u128::from(*price)))
            .fold(0_u128, u128::saturating_add);
        u64::try_from(of_a_million.div_ceil(MILLION)).unwrap_or(u64::MAX)
    }
}
