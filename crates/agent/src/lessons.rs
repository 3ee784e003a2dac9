//! Learned approvals, shared by the runs of an agent.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_hitl::{Answer, ApprovalOutcome, Facts, Learned};

/// A persistent store of learned approvals that several processes may share.
pub trait LearnedStore: Send + Sync {
    /// Applies a change to the stored approvals, atomically among all processes, and returns the new content,
    /// which includes the changes of other processes. `None` means that the change cannot be stored; it then
    /// applies to this process only.
    ///
    /// The caller waits for this function in an async context, so it must be short.
    fn update(&self, change: &dyn Fn(&mut Learned)) -> Option<Learned>;
}

/// The receiver of changes.
enum Keeper {
    /// A callback that receives the complete state after each change.
    Listener(Box<dyn Fn(&Learned) + Send + Sync>),
    /// A store to which the change itself is applied.
    Store(Box<dyn LearnedStore>),
}

/// The learned approvals of an agent.
pub(crate) struct Lessons {
    learned: Mutex<Learned>,
    keeper: Keeper,
}

impl Lessons {
    pub(crate) fn new(learned: Learned, keeper: impl Fn(&Learned) + Send + Sync + 'static) -> Self {
        Self { learned: Mutex::new(learned), keeper: Keeper::Listener(Box::new(keeper)) }
    }

    pub(crate) fn in_store(learned: Learned, store: impl LearnedStore + 'static) -> Self {
        Self { learned: Mutex::new(learned), keeper: Keeper::Store(Box::new(store)) }
    }

    pub(crate) fn lock_history(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the outcome of an approval request.
    pub(crate) fn hear(&self, facts: &Facts, outcome: &ApprovalOutcome) {
        let answer = match outcome {
            ApprovalOutcome::Answered(decision) if decision.approved => Answer::Approved,
            ApprovalOutcome::Answered(_) => Answer::Denied,
            // Without an approver no person has seen the request, so it is neither an answer nor silence.
            ApprovalOutcome::NoApprover { .. } => return,
            _ => Answer::Unanswered,
        };
        let mut learned = self.lock_history();
        match &self.keeper {
            Keeper::Listener(keeper) => {
                learned.hear(facts, answer);
                keeper(&learned);
            }
            Keeper::Store(store) => match store.update(&|kept| kept.hear(facts, answer)) {
                Some(kept) => *learned = kept,
                None => learned.hear(facts, answer),
            },
        }
    }
}

/// Returns the Unix time in milliseconds.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
