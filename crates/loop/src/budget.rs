//! The limits on the usage of a run, at which a human is asked (RULES H10).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_protocol::{Prices, Usage};

/// Limits on the usage of a run. When a limit is reached, a human is asked whether the run continues, even
/// if policy allows all calls. Zero turns a limit off. Every answer that lets the run continue restarts the
/// count.
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
    /// Number of answers and summaries of the model, including failed attempts.
    pub requests: u32,
    /// Number of tokens of requests and answers together.
    #[serde(skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// Cost of the tokens, in millionths of the currency of `prices`.
    pub cost: u64,
    /// Duration since the start of the run, its resume, or the last yes of the human, in milliseconds.
    #[serde(skip_serializing_if = "is_zero")]
    pub wall_ms: u64,
    /// Number of calls by tool name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: BTreeMap<String, u32>,
    /// Prices of tokens. With the default prices, which are unknown, the cost stays zero.
    pub prices: Prices,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(crate) fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The total usage of a run, in the units of a budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "the sizes of a budget that add up over runs")]
pub struct BudgetUsage {
    /// Number of answers and summaries, including failed attempts.
    pub requests: u64,
    /// Number of tokens of requests and answers together.
    pub tokens: u64,
    /// Cost of the tokens, in millionths of the budget's currency.
    pub cost: u64,
}

impl BudgetUsage {
    /// Returns the usage of one answer at these prices.
    pub(crate) fn answer(usage: &Usage, prices: &Prices) -> Self {
        let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
        Self { requests: 1, tokens, cost: prices.cost(usage) }
    }

    /// Returns the sum.
    pub fn plus(self, more: Self) -> Self {
        Self {
            requests: self.requests.saturating_add(more.requests),
            tokens: self.tokens.saturating_add(more.tokens),
            cost: self.cost.saturating_add(more.cost),
        }
    }

    /// Returns the difference to an earlier total.
    pub(crate) fn less(self, before: Self) -> Self {
        Self {
            requests: self.requests.saturating_sub(before.requests),
            tokens: self.tokens.saturating_sub(before.tokens),
            cost: self.cost.saturating_sub(before.cost),
        }
    }
}

impl Budget {
    /// Returns the limit on calls of a tool, if it has one.
    pub(crate) fn calls_of(&self, name: &str) -> Option<u32> {
        self.calls.get(name).copied().filter(|limit| *limit > 0)
    }
}
