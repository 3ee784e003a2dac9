//! The shared usage of the runs of one task: the root's run and the runs of the agents below it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use windlass_loop::{BudgetUsage, Input};

/// The usage of all runs of one task, so that one budget applies to all of them. Clones share the same
/// counters. A run passes its shared budget to the runs that it starts
/// ([`RunOptions::with_shared_budget`](crate::RunOptions::with_shared_budget)).
#[derive(Clone, Debug)]
pub struct SharedBudget {
    pot: Arc<Pot>,
}

#[derive(Debug)]
struct Pot {
    accounts: Mutex<Accounts>,
    /// The number of times that a human allowed all runs to exceed the budget.
    grants: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Accounts {
    used: BTreeMap<String, BudgetUsage>,
    version: u64,
}

impl Default for SharedBudget {
    fn default() -> Self {
        let pot = Pot { accounts: Mutex::default(), grants: watch::Sender::new(0) };
        Self { pot: Arc::new(pot) }
    }
}

impl SharedBudget {
    /// Returns the usage of all runs together.
    pub fn used(&self) -> BudgetUsage {
        self.accounts().used.values().copied().fold(BudgetUsage::default(), BudgetUsage::plus)
    }

    /// Returns the usage of one run, by its id.
    pub fn used_by(&self, run: &str) -> BudgetUsage {
        self.accounts().used.get(run).copied().unwrap_or_default()
    }

    fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.pot.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The part of one run in a shared budget.
pub(crate) struct BudgetShare {
    shared_budget: SharedBudget,
    run: String,
    grants: watch::Receiver<u64>,
    /// The version and the grants that the machine has received.
    told: (u64, u64),
}

impl BudgetShare {
    /// Creates the share of a run. The recorded usage of other runs is merged into the shared budget.
    pub(crate) fn new(
        shared_budget: SharedBudget,
        run: &str,
        others: &BTreeMap<String, BudgetUsage>,
    ) -> Self {
        {
            let mut accounts = shared_budget.accounts();
            for (other, used) in others {
                let known = accounts.used.entry(other.clone()).or_default();
                if known.requests < used.requests {
                    *known = *used;
                }
            }
            accounts.version = accounts.version.saturating_add(1);
        }
        let grants = shared_budget.pot.grants.subscribe();
        let told = (0, *grants.borrow());
        Self { shared_budget, run: run.to_owned(), grants, told }
    }

    /// Sets the total usage of this run.
    pub(crate) fn set(&mut self, used: BudgetUsage) {
        let mut accounts = self.shared_budget.accounts();
        if accounts.used.get(&self.run) == Some(&used) {
            return;
        }
        let was_told = self.told.0 == accounts.version;
        accounts.used.insert(self.run.clone(), used);
        accounts.version = accounts.version.saturating_add(1);
        if was_told {
            self.told.0 = accounts.version;
        }
    }

    /// Returns the usage of the other runs and the permissions to exceed the budget, if the machine does not
    /// have them yet.
    pub(crate) fn news(&mut self) -> Option<Input> {
        let grants = *self.grants.borrow_and_update();
        let accounts = self.shared_budget.accounts();
        let now = (accounts.version, grants);
        if std::mem::replace(&mut self.told, now) == now {
            return None;
        }
        let mut used = accounts.used.clone();
        used.remove(&self.run);
        Some(Input::Shared { used, grants })
    }

    /// Counts a human's permission to exceed the budget, which applies to all runs.
    pub(crate) fn grant(&mut self) {
        self.shared_budget.pot.grants.send_modify(|grants| *grants = grants.saturating_add(1));
        self.told.1 = *self.grants.borrow_and_update();
    }

    /// Waits until a human has allowed another run to exceed the budget.
    pub(crate) async fn wait_for_grant(&mut self) {
        if self.grants.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
