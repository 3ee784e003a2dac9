//! How much a run may use before a human is asked (RULES H10).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_protocol::{ToolCall, Usage};

/// Tokens of a million, in which prices are told.
const MILLION: u128 = 1_000_000;

/// How much a run may use before a human is asked whether it goes on, whatever else it may do without asking. Zero
/// turns a limit off.
///
/// ```
/// use windlass_loop::{Budget, Prices};
/// // Three dollars a million tokens in, fifteen out; it asks after 50 requests or two dollars.
/// let prices = Prices { input: 3_000_000, output: 15_000_000, ..Prices::default() };
/// let budget = Budget { requests: 50, cost: 2_000_000, prices, ..Budget::default() };
/// assert_eq!(budget.prices.cache_read, 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..Budget::default()`")]
pub struct Budget {
    /// Answers of the model.
    pub requests: u32,
    /// Tokens of requests and answers together.
    #[serde(skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// What they cost, in millionths of the currency in which prices are told.
    pub cost: u64,
    /// How long it works, in milliseconds of this process.
    #[serde(skip_serializing_if = "is_zero")]
    pub wall_ms: u64,
    /// How often a tool is called, by the tool's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: BTreeMap<String, u32>,
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What was used since the run began or a human said that it may go on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spent {
    pub(crate) requests: u32,
    pub(crate) usage: Usage,
    calls: BTreeMap<String, u32>,
    since_ms: u64,
}

impl Spent {
    /// Nothing yet, from this time on.
    pub(crate) fn since(since_ms: u64) -> Self {
        Self { since_ms, ..Self::default() }
    }

    /// An answer on record.
    pub(crate) fn add(&mut self, usage: &Usage) {
        self.requests = self.requests.saturating_add(1);
        self.usage.add(usage);
    }

    /// Counts a call.
    pub(crate) fn count(&mut self, call: &ToolCall) -> u32 {
        let count = self.calls.entry(call.name.to_string()).or_default();
        *count = count.saturating_add(1);
        *count
    }
}

impl Budget {
    /// The question to the human, if what was used reaches a limit.
    pub(crate) fn question(&self, spent: &Spent, now_ms: u64) -> Option<String> {
        let reached = |limit: u64, used: u64| limit > 0 && used >= limit;
        let cost = self.prices.cost(&spent.usage);
        let tokens = spent.usage.input_tokens.saturating_add(spent.usage.output_tokens);
        let wall_ms = now_ms.saturating_sub(spent.since_ms);
        let what = if reached(self.requests.into(), spent.requests.into()) {
            format!("{} requests", spent.requests)
        } else if reached(self.tokens, tokens) {
            format!("{tokens} tokens")
        } else if reached(self.cost, cost) {
            let (whole, part) = (cost / 1_000_000, cost % 1_000_000);
            format!("{whole}.{part:06} of the budget's currency")
        } else if reached(self.wall_ms, wall_ms) {
            format!("{} seconds", wall_ms / 1_000)
        } else {
            let over = |(name, used): (&String, &u32)| {
                let limit = self.calls.get(name)?;
                reached((*limit).into(), (*used).into()).then(|| format!("{used} calls of {name}"))
            };
            spent.calls.iter().find_map(over)?
        };
        Some(format!(
            "The run has used {what} since anybody was asked. May it go on? (yes, no, or words for the model)"
        ))
    }

    /// How often a tool may be called, if that is limited.
    pub(crate) fn calls_of(&self, name: &str) -> Option<u32> {
        self.calls.get(name).copied().filter(|limit| *limit > 0)
    }
}
