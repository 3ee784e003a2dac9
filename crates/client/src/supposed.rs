//! Facts that a refusal suggests, until a later request confirms or refutes them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use windlass_vendors::Fact;

/// Suggested facts, by provider and model. They apply in this process only. A fact without a remedy is stored
/// for other processes once a request without the denied feature has succeeded.
#[derive(Debug, Default)]
pub(crate) struct Supposed(Mutex<BTreeMap<(String, String), Vec<Fact>>>);

impl Supposed {
    pub(crate) fn of(&self, provider: &str, model: &str) -> Vec<Fact> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.get(&key(provider, model)).cloned().unwrap_or_default()
    }

    pub(crate) fn add(&self, provider: &str, model: &str, fact: Fact) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let facts = held.entry(key(provider, model)).or_default();
        facts.retain(|held| held.parameter != fact.parameter);
        facts.push(fact);
    }

    /// Removes all suggested facts about a model after a successful request and returns the confirmed ones. A
    /// fact is refuted if the request used the feature that the fact denies.
    pub(crate) fn settle(&self, provider: &str, model: &str, sent: &[u8]) -> Vec<Fact> {
        let facts = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&key(provider, model));
        facts.into_iter().flatten().filter(|fact| !fact.is_used_by(sent)).collect()
    }
}

fn key(provider: &str, model: &str) -> (String, String) {
    (provider.to_owned(), model.to_owned())
}
