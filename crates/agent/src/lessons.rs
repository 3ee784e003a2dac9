//! Learned approvals, shared by the runs of an agent.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_hitl::{ApprovalHistory, ApprovalOutcome, AskOutcome, PolicyInput};

/// A persistent store of learned approvals that several processes may share.
pub trait ApprovalHistoryStore: Send + Sync {
    /// Applies a change to the stored approvals, atomically among all processes, and returns the new content,
    /// which includes the changes of other processes. `None` means that the change cannot be stored; it then
    /// applies to this process only.
    ///
    /// The caller waits for this function in an async context, so it must be short.
    fn update(&self, change: &dyn Fn(&mut ApprovalHistory)) -> Option<ApprovalHistory>;
}

/// The receiver of changes.
enum Keeper {
    /// A callback that receives the complete state after each change.
    Listener(Box<dyn Fn(&ApprovalHistory) + Send + Sync>),
    /// A store to which the change itself is applied.
    Store(Box<dyn ApprovalHistoryStore>),
}

/// The learned approvals of an agent.
pub(crate) struct SharedHistory {
    learned: Mutex<ApprovalHistory>,
    keeper: Keeper,
}

impl SharedHistory {
    pub(crate) fn new(
        learned: ApprovalHistory,
        keeper: impl Fn(&ApprovalHistory) + Send + Sync + 'static,
    ) -> Self {
        Self { learned: Mutex::new(learned), keeper: Keeper::Listener(Box::new(keeper)) }
    }

    pub(crate) fn in_store(learned: ApprovalHistory, store: impl ApprovalHistoryStore + 'static) -> Self {
        Self { learned: Mutex::new(learned), keeper: Keeper::Store(Box::new(store)) }
    }

    pub(crate) fn lock_history(&self) -> MutexGuard<'_, ApprovalHistory> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the outcome of an approval request.
    pub(crate) fn record(&self, facts: &PolicyInput, outcome: &ApprovalOutcome) {
        let answer = match outcome {
            ApprovalOutcome::Answered(decision) if decision.approved => AskOutcome::Approved,
            ApprovalOutcome::Answered(_) => AskOutcome::Denied,
            // Without an approver no person has seen the request, so it is neither an answer nor silence.
            ApprovalOutcome::NoApprover { .. } => return,
            _ => AskOutcome::Unanswered,
        };
        let mut learned = self.lock_history();
        match &self.keeper {
            Keeper::Listener(keeper) => {
                learned.record(facts, answer);
                keeper(&learned);
            }
            Keeper::Store(store) => match store.update(&|kept| kept.record(facts, answer)) {
                Some(kept) => *learned = kept,
                None => learned.record(facts, answer),
            },
        }
    }
}

/// Returns the Unix time in milliseconds.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
