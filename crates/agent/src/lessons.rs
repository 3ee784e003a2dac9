//! What a person's answers teach, shared by the runs of an agent.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_hitl::{Answer, ApprovalOutcome, Facts, Learned};

/// Who is given what was learned, each time that it changes.
type Keeper = Box<dyn Fn(&Learned) + Send + Sync>;

/// What a person's answers teach.
pub(crate) struct Lessons {
    learned: Mutex<Learned>,
    keeper: Keeper,
}

impl Lessons {
    pub(crate) fn new(learned: Learned, keeper: impl Fn(&Learned) + Send + Sync + 'static) -> Self {
        Self { learned: Mutex::new(learned), keeper: Box::new(keeper) }
    }

    pub(crate) fn learned(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears how a question ended.
    pub(crate) fn hear(&self, facts: &Facts, outcome: &ApprovalOutcome) {
        let answer = match outcome {
            ApprovalOutcome::Answered(decision) if decision.approved => Answer::Approved,
            ApprovalOutcome::Answered(_) => Answer::Denied,
            // Nobody there is no answer of a person, and no silence of one either.
            ApprovalOutcome::NoApprover { .. } => return,
            _ => Answer::Unanswered,
        };
        let mut learned = self.learned();
        learned.hear(facts, answer);
        (self.keeper)(&learned);
    }
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
