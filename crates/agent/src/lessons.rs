//! What a person's answers teach, shared by the runs of an agent.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_hitl::{Answer, ApprovalOutcome, Facts, Learned};

/// A place where lessons are kept and that several processes may share.
pub trait LearnedStore: Send + Sync {
    /// Applies a change to what is kept, as one step among all processes, and returns what is kept then, which includes
    /// the lessons of other processes. `None` if it cannot be kept; the change counts for this process alone then.
    ///
    /// Called between other work and blocks it, so it has to be short.
    fn update(&self, change: &dyn Fn(&mut Learned)) -> Option<Learned>;
}

/// What is done with what was learned.
enum Keeper {
    /// A listener is given all of it each time that it changes.
    Listener(Box<dyn Fn(&Learned) + Send + Sync>),
    /// A store is changed.
    Store(Box<dyn LearnedStore>),
}

/// What a person's answers teach.
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

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
