//! The usage of a run, and its comparison with the budgets (RULES H10).

mod others;

use std::collections::BTreeMap;

use windlass_protocol::{Prices, Usage};

use self::others::Others;
use crate::{Budget, BudgetUsage, Config, words};

/// The counters of tokens, cost, requests and calls.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Tokens of the run.
    usage: Usage,
    /// Total usage of the run, in the units of a budget.
    used: BudgetUsage,
    spent: RunUsage,
    others: Others,
    /// Tokens that have been counted and are not part of a recorded entry yet.
    unrecorded: Option<Usage>,
    /// The prices of the model that answers the present request in place of the run's model.
    answering: Option<Prices>,
    /// Number of times in this process that a human let the run continue after its budget was used.
    granted: u32,
}

/// The usage since the start of the run, its resume, or the last yes of the human to the budget.
#[derive(Clone, Debug, Default)]
struct RunUsage {
    requests: u32,
    usage: Usage,
    /// Cost of the answers at the run's own prices.
    cost: u64,
    calls: BTreeMap<String, u32>,
    since_ms: u64,
}

impl Ledger {
    pub(crate) fn usage(&self) -> Usage {
        self.usage
    }

    pub(crate) fn used(&self) -> BudgetUsage {
        self.used
    }

    /// Returns the cost of the run, and of the other runs that share the budget, since their beginning.
    pub(crate) fn total_cost(&self) -> u64 {
        let others = self.others.used().values().map(|used| used.cost);
        others.fold(self.used.cost, u64::saturating_add)
    }

    /// Returns the prices of the model that answers in place of the run's model.
    pub(crate) fn answering_prices(&self) -> Option<Prices> {
        self.answering
    }

    /// Sets the prices at which the answers from now on are counted; `None` for those of the run.
    pub(crate) fn set_answering(&mut self, prices: Option<Prices>) {
        self.answering = prices;
    }

    pub(crate) fn grants(&self) -> u32 {
        self.granted
    }

    /// Returns the total usage of each other run that shares the budget, by run id.
    pub(crate) fn used_by_others(&self) -> &BTreeMap<String, BudgetUsage> {
        self.others.used()
    }

    /// Adds an answer or a summary: one request and its tokens. Every attempt counts once.
    pub(crate) fn count_usage(&mut self, usage: &Usage, prices: &Prices) {
        self.usage.add(usage);
        self.unrecorded.get_or_insert_default().add(usage);
        self.spent.requests = self.spent.requests.saturating_add(1);
        self.spent.usage.add(usage);
        self.spent.cost = self.spent.cost.saturating_add(prices.cost(usage));
        self.used = self.used.plus(BudgetUsage::answer(usage, prices));
    }

    /// Counts a call of a tool and returns the new count.
    pub(crate) fn count_call(&mut self, tool: String) -> u32 {
        let count = self.spent.calls.entry(tool).or_default();
        *count = count.saturating_add(1);
        *count
    }

    /// Returns the tokens that no recorded entry contains, and marks them as recorded.
    pub(crate) fn take_unrecorded(&mut self) -> Option<Usage> {
        self.unrecorded.take()
    }

    /// Returns true if tokens have been counted that no recorded entry contains.
    pub(crate) fn has_unrecorded(&self) -> bool {
        self.unrecorded.is_some()
    }

    /// Starts the count of this process at this time.
    pub(crate) fn start(&mut self, now_ms: u64) {
        self.spent = RunUsage { since_ms: now_ms, ..RunUsage::default() };
    }

    /// Restarts the budgets after a human let the runs continue.
    pub(crate) fn restart_budget(&mut self, now_ms: u64) {
        self.start(now_ms);
        self.others.restart();
    }

    /// Counts an approval that this run got.
    pub(crate) fn count_grant(&mut self) {
        self.granted = self.granted.saturating_add(1);
    }

    /// Updates the usage of the other runs and the number of their approvals. Returns true if one of them got
    /// a new approval.
    pub(crate) fn update_others(&mut self, used: BTreeMap<String, BudgetUsage>, grants: u64) -> bool {
        self.others.update(used);
        self.others.update_grants(grants)
    }

    /// Restores the usage of the other runs from a record.
    pub(crate) fn restore_others(&mut self, used: BTreeMap<String, BudgetUsage>) {
        self.others.restore(used);
    }

    /// Returns the usage of the other runs if it changed since it was last recorded.
    pub(crate) fn take_unrecorded_others(&mut self) -> Option<BTreeMap<String, BudgetUsage>> {
        self.others.take_unrecorded()
    }

    /// Returns the question to the human if a budget is used. The shared budget is compared first.
    pub(crate) fn budget_question(&self, config: &Config, now_ms: u64) -> Option<String> {
        let who = if self.others.is_empty() { "The run has" } else { "The run and its agents have" };
        let shared =
            self.spent.find_reached_limit(&config.shared_budget, self.others.usage_since_restart(), now_ms);
        let question = shared.map(|what| words::ask_for_more(who, &what));
        question.or_else(|| {
            let own = self.spent.find_reached_limit(&config.budget, BudgetUsage::default(), now_ms);
            own.map(|what| words::ask_for_more("The run has", &what))
        })
    }
}

impl RunUsage {
    /// Returns the first limit of the budget that this usage and that of the other runs reach, in words. Time
    /// and calls of tools count for this run only.
    fn find_reached_limit(&self, budget: &Budget, others: BudgetUsage, now_ms: u64) -> Option<String> {
        let reached = |limit: u64, used: u64| limit > 0 && used >= limit;
        let own_tokens = self.usage.input_tokens.saturating_add(self.usage.output_tokens);
        let own_cost = if self.cost > 0 { self.cost } else { budget.prices.cost(&self.usage) };
        let cost = own_cost.saturating_add(others.cost);
        let tokens = own_tokens.saturating_add(others.tokens);
        let requests = u64::from(self.requests).saturating_add(others.requests);
        let wall_ms = now_ms.saturating_sub(self.since_ms);
        if reached(budget.requests.into(), requests) {
            Some(format!("{requests} requests"))
        } else if reached(budget.tokens, tokens) {
            Some(format!("{tokens} tokens"))
        } else if reached(budget.cost, cost) {
            let (whole, part) = (cost / 1_000_000, cost % 1_000_000);
            Some(format!("{whole}.{part:06} of the budget's currency"))
        } else if reached(budget.wall_ms, wall_ms) {
            Some(format!("{} seconds", wall_ms / 1_000))
        } else {
            let over = |(name, used): (&String, &u32)| {
                let limit = budget.calls.get(name)?;
                reached((*limit).into(), (*used).into()).then(|| format!("{used} calls of {name}"))
            };
            self.calls.iter().find_map(over)
        }
    }
}

#[cfg(test)]
mod tests;
