//! What the runs of one task use together: the root's, and those of the agents that work for it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use windlass_loop::{Input, Used};

/// What the runs of one task have used together, so that one budget holds for all. Clones are the same allowance; a run
/// gives it on to those that it begins ([`RunOptions::with_allowance`](crate::RunOptions::with_allowance)).
#[derive(Clone, Debug)]
pub struct Allowance {
    pot: Arc<Pot>,
}

#[derive(Debug)]
struct Pot {
    accounts: Mutex<Accounts>,
    /// How often a human said that all may go on.
    grants: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Accounts {
    used: BTreeMap<String, Used>,
    version: u64,
}

impl Default for Allowance {
    fn default() -> Self {
        let pot = Pot { accounts: Mutex::default(), grants: watch::Sender::new(0) };
        Self { pot: Arc::new(pot) }
    }
}

impl Allowance {
    /// What all have used so far.
    pub fn used(&self) -> Used {
        self.accounts().used.values().copied().fold(Used::default(), Used::plus)
    }

    /// What a run has used, by its id.
    pub fn used_by(&self, run: &str) -> Used {
        self.accounts().used.get(run).copied().unwrap_or_default()
    }

    fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.pot.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One run's part in an allowance.
pub(crate) struct Share {
    allowance: Allowance,
    run: String,
    grants: watch::Receiver<u64>,
    /// What the machine knows.
    told: (u64, u64),
}

impl Share {
    /// The part of a run that knows of others what its record says.
    pub(crate) fn new(allowance: Allowance, run: &str, others: &BTreeMap<String, Used>) -> Self {
        {
            let mut accounts = allowance.accounts();
            for (other, used) in others {
                let known = accounts.used.entry(other.clone()).or_default();
                if known.requests < used.requests {
                    *known = *used;
                }
            }
            accounts.version = accounts.version.saturating_add(1);
        }
        let grants = allowance.pot.grants.subscribe();
        let told = (0, *grants.borrow());
        Self { allowance, run: run.to_owned(), grants, told }
    }

    /// What this run has used in all.
    pub(crate) fn set(&mut self, used: Used) {
        let mut accounts = self.allowance.accounts();
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

    /// What the others have used, if the machine does not know it yet.
    pub(crate) fn news(&mut self) -> Option<Input> {
        let grants = *self.grants.borrow_and_update();
        let accounts = self.allowance.accounts();
        let now = (accounts.version, grants);
        if std::mem::replace(&mut self.told, now) == now {
            return None;
        }
        let mut used = accounts.used.clone();
        used.remove(&self.run);
        Some(Input::Shared { used, grants })
    }

    /// A human has let this run go on, and all others with it.
    pub(crate) fn grant(&mut self) {
        self.allowance.pot.grants.send_modify(|grants| *grants = grants.saturating_add(1));
        self.told.1 = *self.grants.borrow_and_update();
    }

    /// Waits until a human has let another run go on.
    pub(crate) async fn granted(&mut self) {
        if self.grants.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
