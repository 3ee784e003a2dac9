//! The usage of other runs that share a budget.

use std::collections::BTreeMap;

use crate::BudgetUsage;

/// The usage of the other runs that share this run's budget, such as its child runs and its parent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Others {
    used: BTreeMap<String, BudgetUsage>,
    /// Their usage when a human last let all of them continue.
    before: BudgetUsage,
    /// Number of such approvals.
    grants: u64,
    is_recorded: bool,
}

impl Others {
    fn total(&self) -> BudgetUsage {
        self.used.values().copied().fold(BudgetUsage::default(), BudgetUsage::plus)
    }

    /// Updates the total usage of each run. A total with fewer requests than the known one is outdated and
    /// ignored.
    pub(crate) fn update(&mut self, used: BTreeMap<String, BudgetUsage>) {
        for (run, now) in used {
            let known = self.used.entry(run).or_default();
            if *known != now && known.requests <= now.requests {
                *known = now;
                self.is_recorded = false;
            }
        }
    }

    /// Restores the totals from a record.
    pub(crate) fn restore(&mut self, used: BTreeMap<String, BudgetUsage>) {
        self.update(used);
        self.is_recorded = true;
    }

    /// Returns the totals if they changed since they were last recorded, and marks them as recorded.
    pub(crate) fn take_unrecorded(&mut self) -> Option<BTreeMap<String, BudgetUsage>> {
        let is_new = !self.used.is_empty() && !std::mem::replace(&mut self.is_recorded, true);
        is_new.then(|| self.used.clone())
    }

    /// Returns the total usage of each run, by run id.
    pub(crate) fn used(&self) -> &BTreeMap<String, BudgetUsage> {
        &self.used
    }

    /// Returns true if no other run shares the budget.
    pub(crate) fn is_empty(&self) -> bool {
        self.used.is_empty()
    }

    /// Restarts the count after a human let all runs continue.
    pub(crate) fn restart(&mut self) {
        self.before = self.total();
    }

    /// Stores the number of approvals in other runs, and returns true if it has increased.
    pub(crate) fn update_grants(&mut self, grants: u64) -> bool {
        let before = self.grants;
        self.grants = before.max(grants);
        grants > before
    }

    /// Returns the usage since the last restart.
    pub(crate) fn usage_since_restart(&self) -> BudgetUsage {
        self.total().less(self.before)
    }
}
