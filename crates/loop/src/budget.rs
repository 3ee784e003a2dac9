//! The limits on the usage of a run, at which a human is asked (RULES H10).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_protocol::Usage;

/// The number of tokens to which a price applies.
const MILLION: u128 = 1_000_000;

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
    /// Prices of tokens. With the default prices of zero, the cost stays zero.
    pub prices: Prices,
}

/// The prices of a million tokens, in millionths of a currency.
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
}

impl Prices {
    /// Returns the cost of these tokens in millionths of the currency, rounded up.
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

/// The total usage of a run, in the units of a budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "the sizes of a budget that add up over runs")]
pub struct Used {
    /// Number of answers and summaries, including failed attempts.
    pub requests: u64,
    /// Number of tokens of requests and answers together.
    pub tokens: u64,
    /// Cost of the tokens, in millionths of the budget's currency.
    pub cost: u64,
}

impl Used {
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

    fn less(self, before: Self) -> Self {
        Self {
            requests: self.requests.saturating_sub(before.requests),
            tokens: self.tokens.saturating_sub(before.tokens),
            cost: self.cost.saturating_sub(before.cost),
        }
    }
}

/// The usage of the other runs that share this run's budget, such as its child runs and its parent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Others {
    used: BTreeMap<String, Used>,
    /// Their usage when a human last let all of them continue.
    before: Used,
    /// Number of such approvals.
    grants: u64,
    is_recorded: bool,
}

impl Others {
    fn total(&self) -> Used {
        self.used.values().copied().fold(Used::default(), Used::plus)
    }

    /// Updates the total usage of each run. A total with fewer requests than the known one is outdated and
    /// ignored.
    pub(crate) fn learn(&mut self, used: BTreeMap<String, Used>) {
        for (run, now) in used {
            let known = self.used.entry(run).or_default();
            if *known != now && known.requests <= now.requests {
                *known = now;
                self.is_recorded = false;
            }
        }
    }

    /// Restores the totals from a record.
    pub(crate) fn restore(&mut self, used: BTreeMap<String, Used>) {
        self.learn(used);
        self.is_recorded = true;
    }

    /// Returns the totals if they changed since they were last recorded.
    pub(crate) fn news(&mut self) -> Option<BTreeMap<String, Used>> {
        let is_new = !self.used.is_empty() && !std::mem::replace(&mut self.is_recorded, true);
        is_new.then(|| self.used.clone())
    }

    pub(crate) fn used(&self) -> &BTreeMap<String, Used> {
        &self.used
    }

    /// Restarts the count after a human let all runs continue.
    pub(crate) fn grant(&mut self) {
        self.before = self.total();
    }

    /// Returns true if the number of approvals in other runs has increased, and stores the number.
    pub(crate) fn is_granted(&mut self, grants: u64) -> bool {
        let before = self.grants;
        self.grants = before.max(grants);
        grants > before
    }

    fn since(&self) -> Used {
        self.total().less(self.before)
    }
}

/// The usage since the start of the run, its resume, or the last yes of the human to the budget.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spent {
    pub(crate) requests: u32,
    pub(crate) usage: Usage,
    calls: BTreeMap<String, u32>,
    since_ms: u64,
}

impl Spent {
    /// Starts the count at this time.
    pub(crate) fn since(since_ms: u64) -> Self {
        Self { since_ms, ..Self::default() }
    }

    /// Counts a call of a tool and returns the new count.
    pub(crate) fn count(&mut self, tool: String) -> u32 {
        let count = self.calls.entry(tool).or_default();
        *count = count.saturating_add(1);
        *count
    }
}

impl Budget {
    /// Returns the question to the human if the run's own usage reaches a limit.
    pub(crate) fn question(&self, spent: &Spent, now_ms: u64) -> Option<String> {
        self.question_with(spent, Used::default(), now_ms).map(|what| asked("The run has", &what))
    }

    /// Returns the question to the human if the usage of this run and the others reaches a limit. Time and
    /// calls of tools count for this run only.
    pub(crate) fn shared_question(&self, spent: &Spent, others: &Others, now_ms: u64) -> Option<String> {
        let who = if others.used.is_empty() { "The run has" } else { "The run and its agents have" };
        self.question_with(spent, others.since(), now_ms).map(|what| asked(who, &what))
    }

    fn question_with(&self, spent: &Spent, others: Used, now_ms: u64) -> Option<String> {
        let reached = |limit: u64, used: u64| limit > 0 && used >= limit;
        let own_tokens = spent.usage.input_tokens.saturating_add(spent.usage.output_tokens);
        let cost = self.prices.cost(&spent.usage).saturating_add(others.cost);
        let tokens = own_tokens.saturating_add(others.tokens);
        let requests = u64::from(spent.requests).saturating_add(others.requests);
        let wall_ms = now_ms.saturating_sub(spent.since_ms);
        if reached(self.requests.into(), requests) {
            Some(format!("{requests} requests"))
        } else if reached(self.tokens, tokens) {
            Some(format!("{tokens} tokens"))
        } else if reached(self.cost, cost) {
            let (whole, part) = (cost / 1_000_000, cost % 1_000_000);
            Some(format!("{whole}.{part:06} of the budget's currency"))
        } else if reached(self.wall_ms, wall_ms) {
            Some(format!("{} seconds", wall_ms / 1_000))
        } else {
            let over = |(name, used): (&String, &u32)| {
                let limit = self.calls.get(name)?;
                reached((*limit).into(), (*used).into()).then(|| format!("{used} calls of {name}"))
            };
            spent.calls.iter().find_map(over)
        }
    }

    /// Returns the limit on calls of a tool, if it has one.
    pub(crate) fn calls_of(&self, name: &str) -> Option<u32> {
        self.calls.get(name).copied().filter(|limit| *limit > 0)
    }
}

fn asked(who: &str, what: &str) -> String {
    format!("{who} used {what} since anybody was asked. May it go on? (yes, no, or words for the model)")
}
