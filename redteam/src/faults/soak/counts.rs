//! The counts of a soak, and the random numbers of its runs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_protocol::History;
use windlass_testkit::split::SplitMix64;

/// The inverse probability of a fault.
const ONE_IN: usize = 20;

/// The counts and the problems found.
#[derive(Default)]
pub(super) struct SoakCounts {
    pub(super) answers: AtomicUsize,
    pub(super) faults: AtomicUsize,
    pub(super) resumes: AtomicUsize,
    pub(super) compactions: AtomicUsize,
    /// The number of compactions at the model's last request.
    pub(super) at_last: AtomicUsize,
    pub(super) wrong: Mutex<Vec<String>>,
    /// The conversation of the last request.
    last: Mutex<History>,
}

impl SoakCounts {
    pub(super) fn wrong(&self, what: String) {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        // Keep only the first problems.
        if wrong.len() < 20 {
            wrong.push(what);
        }
    }

    pub(super) fn last(&self) -> MutexGuard<'_, History> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The random numbers that all parts of a run share.
#[derive(Clone)]
pub(super) struct Luck(Arc<Mutex<SplitMix64>>);

impl Luck {
    pub(super) fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(SplitMix64::new(seed))))
    }

    pub(super) fn pick_between(&self, least: usize, most: usize) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).in_range(least, most)
    }

    pub(super) fn is_bad(&self, seen: &SoakCounts) -> bool {
        let is_bad = self.pick_between(1, ONE_IN) == 1;
        seen.faults.fetch_add(usize::from(is_bad), Ordering::Relaxed);
        is_bad
    }
}
