//! The checks of an answer's calls before they are decided: repeats, the last call, and the budget of tools.

use windlass_protocol::{CallId, Control, ResultStatus, ToolCall, ToolResult};

use super::Core;
use crate::words;

impl Core {
    /// Counts the calls of an answer, and adds the results of those that do not run to `refused`. It starts
    /// with the results of malformed calls, which do not count.
    pub(crate) fn check_calls(&mut self, calls: &[ToolCall], refused: &mut Vec<ToolResult>) {
        let repeated = self.refuse_repeated(calls, refused);
        refused.extend(repeated);
        let late = self.calls_after_last(calls, refused);
        refused.extend(late);
        let over = self.calls_over_budget(calls, refused);
        refused.extend(over);
    }

    /// Counts a call and returns the number of consecutive equal calls, from 1. The calls of a program do not count: a
    /// program repeats calls in a loop, and the provider and the limit of turns end it.
    pub(super) fn count_call(&mut self, call: &ToolCall) -> u32 {
        if call.program_id().is_some() {
            return 1;
        }
        let hints = self.config.hints(call.name.as_str());
        self.progress.count(call, hints)
    }

    /// Returns refusals of the calls that repeat the same work (RULES L4).
    fn refuse_repeated(&mut self, calls: &[ToolCall], refused: &[ToolResult]) -> Vec<ToolResult> {
        let limit = self.config.limits.repeats;
        let mut repeated = Vec::new();
        for call in calls.iter().filter(|call| !contains(refused, call)) {
            let can_circle = call.program_id().is_none() && !self.config.hints(call.name.as_str()).polls;
            let round = if can_circle { self.progress.begins_round(call, limit) } else { None };
            let times = self.count_call(call);
            if let Some(calls) = round {
                let text = words::in_circles(call.name.as_str(), calls, limit);
                repeated.push(text.to_result(call.id.clone(), ResultStatus::Error));
            } else if limit > 0 && times > limit {
                let text = words::text_for_repeat(call.name.as_str(), times);
                repeated.push(text.to_result(call.id.clone(), ResultStatus::Error));
            }
        }
        repeated
    }

    /// Returns refusals of the calls after a call that must be the last of its answer (RULES L12).
    fn calls_after_last(&self, calls: &[ToolCall], refused: &[ToolResult]) -> Vec<ToolResult> {
        let is_last = |call: &ToolCall| {
            self.config.hints(call.name.as_str()).control == Control::Last && !contains(refused, call)
        };
        let mut left = calls.iter().skip_while(|call| !is_last(call));
        let Some(last) = left.next() else { return Vec::new() };
        let text = words::text_after_last(last.name.as_str());
        left.filter(|call| !contains(refused, call))
            .map(|call| text.to_result(call.id.clone(), ResultStatus::NotStarted))
            .collect()
    }

    /// Returns refusals of the calls that exceed the budget of their tool. The human is asked before the next
    /// turn (RULES H10).
    fn calls_over_budget(&mut self, calls: &[ToolCall], refused: &[ToolResult]) -> Vec<ToolResult> {
        let mut over = Vec::new();
        for call in calls.iter().filter(|call| !contains(refused, call)) {
            // The call counts for its tool, independent of the name that the model wrote.
            let name = &self.config.budget_name(call.name.as_str());
            let used = self.ledger.count_call(name.clone());
            if let Some(limit) = self.config.budget.calls_of(name).filter(|limit| used > *limit) {
                let text = words::budget_text(name, limit);
                over.push(text.to_result(call.id.clone(), ResultStatus::NotStarted));
            }
        }
        over
    }

    /// Returns true if a call of the run or of the conversation before it has this id.
    pub(crate) fn has_call(&self, id: &CallId) -> bool {
        self.conversation.has_call(id)
    }

    /// Returns an id for a call whose id is used: unique in the run, and not refused by `is_taken`
    /// (RULES P1).
    pub(crate) fn free_call_id(&self, position: usize, is_taken: impl Fn(&CallId) -> bool) -> CallId {
        let mut turn = u64::from(self.progress.turns);
        loop {
            let id = CallId::synthesize(turn, position);
            if !self.has_call(&id) && !is_taken(&id) {
                return id;
            }
            turn = turn.saturating_add(1_000_000);
        }
    }
}

fn contains(refused: &[ToolResult], call: &ToolCall) -> bool {
    refused.iter().any(|result| result.call == call.id)
}
