//! The decisions between two answers: what follows a turn, and what ends a task.

use crate::core::Core;
use crate::transition::Transition;
use crate::{Event, InterruptReason, Outcome, StopCause, StreamFailure};

/// Decides how the next turn starts: with a request, or with a stop at the limit on turns or cost, a question to the
/// human, or a summary of turns that are removed.
pub(super) fn begin(core: &mut Core) -> Transition {
    let limit = core.config().limits.turns;
    if limit > 0 && core.progress().turns >= limit {
        return Transition::stop(StopCause::TurnLimit);
    }
    core.record_others();
    if core.is_cost_limit_reached() {
        return Transition::stop(StopCause::Budget);
    }
    if let Some(question) = core.budget_question() {
        return Transition::Interrupt { reason: InterruptReason::Budget, question };
    }
    if let Some(question) = core.take_unknown_question() {
        return Transition::Interrupt { reason: InterruptReason::UnknownEffects, question };
    }
    core.push_queued();
    match core.make_room() {
        Some(plan) => Transition::Summarize(plan),
        None => request(core),
    }
}

/// Starts a turn and requests its answer. A run that only compacts the conversation ends instead.
pub(super) fn request(core: &mut Core) -> Transition {
    if let Some(text) = core.describe_compaction() {
        return complete(core, text, false);
    }
    core.begin_turn();
    Transition::Request { delay_ms: 0 }
}

/// Requests the same answer again if the failure is retryable, a limited number of times with an increasing
/// delay (RULES L9).
pub(super) fn retry(core: &mut Core, failure: &StreamFailure) -> Transition {
    match core.begin_retry(failure) {
        Some(delay_ms) => Transition::Request { delay_ms },
        None => Transition::fail(failure),
    }
}

/// Completes the task after its result has been accepted. A queued message starts the next task unless the
/// run was cancelled.
pub(super) fn complete(core: &mut Core, text: String, is_cancelled: bool) -> Transition {
    core.show(Event::TaskCompleted { text: text.clone(), usage: core.ledger().usage() });
    if !is_cancelled && core.begin_next_task() {
        return Transition::NextTurn;
    }
    Transition::End(Outcome::Completed { text })
}
