//! The policy about fields that another format cannot express.

use windlass_wire::{FieldFate, ProviderError, Server};

use crate::refusal::invalid_request;

/// The policy about parts of a request that another format cannot express, and that change the way in which an answer is
/// drawn: a seed, penalties, `top_k`, filters, and tools of a provider that are offered beside the client's own.
///
/// Parts without which the answer would miss the conversation or its form are refused by either policy, and parts
/// without an influence on the answer (billing, names, caches) are left out by either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LossPolicy {
    /// Leaves them out, and names them in `x-windlass-lost`.
    #[default]
    Lenient,
    /// Refuses the request.
    Strict,
}

impl LossPolicy {
    /// Returns the refusal of a request with these losses.
    pub(crate) fn refuse(self, server: &dyn Server, lost: &[String]) -> Option<ProviderError> {
        if self == Self::Lenient {
            return None;
        }
        let is_harmless = |name: &str| {
            let has_name = |field: &str| field == name || field.rsplit('.').next() == Some(name);
            let mut rules = server.field_rules().iter();
            rules.any(|rule| rule.fate == FieldFate::LeftOut && has_name(rule.field))
        };
        let name = lost.iter().find(|name| !is_harmless(name))?;
        let what = format!("{name} is not available for this model, and this gateway is strict");
        let mut error = invalid_request(what).with_parameter(Some(name.clone()));
        error.code = Some("unsupported_parameter".to_owned());
        Some(error)
    }
}
