//! Rejections that a refusal suggests, until a later request confirms or refutes them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use windlass_vendors::ParameterRejection;

/// Suggested rejections, by provider and model. They apply in this process only. A rejection without a remedy
/// is stored for other processes once a request without the denied feature has succeeded.
#[derive(Debug, Default)]
pub(crate) struct UnconfirmedRejections(Mutex<BTreeMap<(String, String), Vec<ParameterRejection>>>);

impl UnconfirmedRejections {
    pub(crate) fn rejections(&self, provider: &str, model: &str) -> Vec<ParameterRejection> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.get(&key(provider, model)).cloned().unwrap_or_default()
    }

    pub(crate) fn add(&self, provider: &str, model: &str, rejection: ParameterRejection) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rejections = held.entry(key(provider, model)).or_default();
        rejections.retain(|held| held.parameter != rejection.parameter);
        rejections.push(rejection);
    }

    /// Removes all suggested rejections about a model after a successful request and returns the confirmed
    /// ones. A rejection is refuted if the request used the feature that it denies.
    pub(crate) fn settle(&self, provider: &str, model: &str, sent: &[u8]) -> Vec<ParameterRejection> {
        let rejections = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&key(provider, model));
        rejections.into_iter().flatten().filter(|rejection| !rejection.is_used_by(sent)).collect()
    }
}

fn key(provider: &str, model: &str) -> (String, String) {
    (provider.to_owned(), model.to_owned())
}
