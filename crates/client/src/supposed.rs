//! Abilities that a refusal seems to deny, until another request shows whether that is so.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::facts::Fact;
use crate::{edit, lesson};

/// What refusals seem to say of models, by provider and model. It counts in this process only: a fact without a remedy
/// is kept for others when a request without what the fact denies has succeeded.
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

    /// Takes all that is supposed of a model after a request has succeeded, and returns what it confirms: a request with
    /// what a fact denies has refuted the fact.
    pub(crate) fn settle(&self, provider: &str, model: &str, sent: &[u8]) -> Vec<Fact> {
        let facts = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&key(provider, model));
        facts.into_iter().flatten().filter(|fact| !is_sent(fact, sent)).collect()
    }
}

fn key(provider: &str, model: &str) -> (String, String) {
    (provider.to_owned(), model.to_owned())
}

fn is_sent(fact: &Fact, sent: &[u8]) -> bool {
    match fact.parameter.as_str() {
        "images" => lesson::has_images(sent),
        parameter => edit::has(sent, parameter),
    }
}
