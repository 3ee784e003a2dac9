//! The counting of tokens, requests and budgets.

use std::collections::BTreeMap;

use windlass_hitl::{ApprovalDecision, ApprovalOutcome};
use windlass_protocol::{Prices, ToolResult, Usage};
use windlass_stream::Chunk;

use super::Core;
use crate::{BudgetUsage, Entry, InterruptReason, UnknownEffects, words};

impl Core {
    /// Adds the tokens of an answer or a summary to the counters, at the prices of the model that answered.
    pub(crate) fn count_usage(&mut self, usage: &Usage) {
        let prices = self.answering_prices();
        self.ledger.count_usage(usage, &prices);
    }

    /// Returns the prices of the model that answers the present request.
    pub(crate) fn answering_prices(&self) -> Prices {
        self.ledger.answering_prices().unwrap_or(self.config.budget.prices)
    }

    /// Changes the prices of the present answer if the chunk names another model. Prices that the program set apply to
    /// all models, and a model with unknown prices is counted at those of the run.
    pub(crate) fn note_model(&mut self, chunk: &Chunk) {
        if let Chunk::AnsweredBy { prices, first_prices, .. } = chunk {
            let is_own = first_prices.unwrap_or_default() != self.config.budget.prices;
            self.ledger.set_answering(prices.filter(|_| !is_own));
        }
    }

    /// Returns the prices of the present answer for its entry; `None` for those of the run.
    pub(crate) fn answer_prices(&self) -> Option<Box<Prices>> {
        self.ledger.answering_prices().map(Box::new)
    }

    /// Restores the prices of an answer from its entry.
    pub(crate) fn restore_prices(&mut self, prices: Option<Box<Prices>>) {
        self.ledger.set_answering(prices.map(|prices| *prices));
    }

    /// Counts the tokens of a model that reviewed an approval request. The entry of the approval contains them.
    pub(crate) fn count_review(&mut self, outcome: &ApprovalOutcome) {
        if let ApprovalOutcome::Answered(ApprovalDecision { review: Some(review), .. }) = outcome {
            self.ledger.count_usage(&review.usage, &self.config.budget.prices);
            let _ = self.ledger.take_unrecorded();
        }
    }

    /// Counts the results of a turn.
    pub(crate) fn end_turn(&mut self, results: &[&ToolResult]) {
        self.progress.end_turn(results);
    }

    /// Counts an instruction to use a tool.
    pub(crate) fn count_nudge(&mut self) {
        self.progress.nudges = self.progress.nudges.saturating_add(1);
    }

    /// Returns the question to the human if the model made too many mistakes.
    pub(crate) fn mistakes_question(&self) -> Option<String> {
        let mistakes = self.progress.mistakes;
        is_reached(self.config.limits.mistakes, mistakes).then(|| words::mistakes(mistakes))
    }

    /// Returns the question to the human if the model did not use a tool too many times.
    pub(crate) fn nudges_question(&self) -> Option<String> {
        let nudges = self.progress.nudges;
        is_reached(self.config.limits.nudges, nudges).then(|| words::nudge_text(nudges))
    }

    /// Returns the question to the human if a budget is used.
    pub(crate) fn budget_question(&self) -> Option<String> {
        self.ledger.budget_question(&self.config, self.now_ms)
    }

    /// Returns true if the cost of the run and of the runs that share its budget has reached its limit.
    pub(crate) fn is_cost_limit_reached(&self) -> bool {
        let limit = self.config.limits.cost;
        limit > 0 && self.ledger.total_cost() >= limit
    }

    /// Keeps the tool of a call with unknown effects for the question to the human, if the configuration
    /// requires that question.
    pub(crate) fn note_unknown_effects(&mut self, tool: String) {
        if self.config.unknown_effects == UnknownEffects::AskHuman {
            self.unknown.push(tool);
        }
    }

    /// Returns the question to the human about calls with unknown effects, once.
    pub(crate) fn take_unknown_question(&mut self) -> Option<String> {
        let unknown = std::mem::take(&mut self.unknown);
        (!unknown.is_empty()).then(|| words::ask_about_unknown(&unknown))
    }

    /// Applies an answer of the human to the counters. An answer with words resets the count of mistakes. An answer
    /// about the budget restarts the budget; the caller has already stopped the run if the answer was a denial or
    /// empty.
    pub(crate) fn apply_reply(&mut self, reason: InterruptReason, has_words: bool) {
        if has_words {
            self.progress.forgive();
        }
        // Records before version 6 do not contain the question's subject, and every answer restarted the
        // budget then.
        if matches!(reason, InterruptReason::Budget | InterruptReason::Unspecified) {
            self.ledger.restart_budget(self.now_ms);
        }
    }

    /// Counts an answer that let the run continue after its budget was used.
    pub(crate) fn count_grant(&mut self) {
        self.ledger.count_grant();
    }

    /// Updates the usage of the other runs that share this run's budget. Returns true if a human approved the
    /// budget in one of them.
    pub(crate) fn update_others(&mut self, used: BTreeMap<String, BudgetUsage>, grants: u64) -> bool {
        self.ledger.update_others(used, grants)
    }

    /// Records that another run got an approval of the shared budget, and restarts the budget.
    pub(crate) fn record_shared_grant(&mut self) {
        self.record(Entry::InterruptReply { id: None, words: None });
        self.ledger.restart_budget(self.now_ms);
    }

    /// Records the usage of the other runs if it has changed.
    pub(crate) fn record_others(&mut self) {
        if let Some(used) = self.ledger.take_unrecorded_others() {
            self.record(Entry::Shared { used });
        }
    }
}

fn is_reached(limit: u32, count: u32) -> bool {
    limit > 0 && count >= limit
}
