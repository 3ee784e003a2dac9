//! How much a run may use before a human is asked (RULES H10).

use serde::{Deserialize, Serialize};
use windlass_protocol::Usage;

/// Tokens of a million, in which prices are told.
const MILLION: u128 = 1_000_000;

/// How much a run may use before a human is asked whether it goes on, whatever else it may do without asking. Zero
/// turns a limit off.
///
/// ```
/// use windlass_loop::{Budget, Prices};
/// // Three dollars a million tokens in, fifteen out; it asks after 50 requests or two dollars.
/// let prices = Prices { input: 3_000_000, output: 15_000_000, ..Prices::default() };
/// let budget = Budget { requests: 50, cost: 2_000_000, prices };
/// assert_eq!(budget.prices.cache_read, 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..Budget::default()`")]
pub struct Budget {
    /// Answers of the model.
    pub requests: u32,
    /// What they cost, in millionths of the currency in which prices are told.
    pub cost: u64,
    /// What tokens cost. Without prices nothing costs anything.
    pub prices: Prices,
}

/// What a million tokens cost, in millionths of a currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..Prices::default()`")]
pub struct Prices {
    /// Tokens of requests that are in no cache.
    pub input: u64,
    /// Tokens of answers.
    pub output: u64,
    /// Tokens of requests that were read from the provider's cache.
    pub cache_read: u64,
    /// Tokens of requests that were written to the provider's cache.
    pub cache_write: u64,
}

impl Prices {
    /// What these tokens cost, in millionths of the currency; a part of one counts as a whole.
    pub fn cost(&self, usage: &Usage) -> u64 {
        let cached = usage.cache_read_tokens.saturating_add(usage.cache_write_tokens);
        let parts = [
            (usage.input_tokens.saturating_sub(cached), self.input),
            (usage.output_tokens, self.output),
            (usage.cache_read_tokens, self.cache_read),
            (usage.cache_write_tokens, self.cache_write),
        ];
        let of_a_million = parts
            .iter()
            .map(|(tokens, price)| u128::from(*tokens).saturating_mul(u128::from(*price)))
            .fold(0_u128, u128::saturating_add);
        u64::try_from(of_a_million.div_ceil(MILLION)).unwrap_or(u64::MAX)
    }
}

/// What was used since the run began or a human said that it may go on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    pub(crate) requests: u32,
    pub(crate) usage: Usage,
}

impl Budget {
    /// The question to the human, if what was used reaches a limit.
    pub(crate) fn question(&self, spent: &Spent) -> Option<String> {
        let cost = self.prices.cost(&spent.usage);
        let what = if self.requests > 0 && spent.requests >= self.requests {
            format!("{} requests", spent.requests)
        } else if self.cost > 0 && cost >= self.cost {
            let (whole, part) = (cost / 1_000_000, cost % 1_000_000);
            format!("{whole}.{part:06} of the budget's currency")
        } else {
            return None;
        };
        Some(format!(
            "The run has used {what} since anybody was asked. May it go on? (yes, no, or words for the model)"
        ))
    }
}
