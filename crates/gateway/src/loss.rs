//! The policy about fields that another format cannot express.

use windlass_wire::{FieldFate, ProviderError, Server};

use crate::ConvertedRequest;
use crate::refusal::invalid_request;

/// The policy about parts of a request that another format cannot express.
///
/// Parts without which the answer would miss the conversation or its form are refused by each policy. Parts without an
/// influence on the answer (billing, names, caches), and values without an effect, such as the defaults of an API, are left
/// out by each policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LossPolicy {
    /// Leaves the others out, and names them in `x-windlass-lost`: a seed, penalties, `top_k`, filters, a resolution, edits of
    /// the conversation, parts of a user's message, and the parts of the next policies.
    Lenient,
    /// Refuses the fields that are known to change an answer, with `unsupported_parameter`. Leaves out and names tools of a
    /// provider that are offered beside the client's own, results of such tools in earlier answers, and fields that the
    /// gateway does not know.
    #[default]
    Standard,
    /// Refuses each part that is not known to leave an answer as it is.
    Strict,
}

impl LossPolicy {
    /// Returns the refusal of a request with these losses.
    pub(crate) fn refuse(self, server: &dyn Server, converted: &ConvertedRequest) -> Option<ProviderError> {
        if self == Self::Lenient {
            return None;
        }
        if let Some(kind) = &converted.lost_input {
            let what = format!("a part of the kind {kind:?} is not available for this model");
            return Some(refusal(what, "messages"));
        }
        let name = converted.lost.iter().find(|name| match find_fate(server, name) {
            Some(FieldFate::LeftOut) => false,
            Some(_) => true,
            None => self == Self::Strict,
        })?;
        Some(refusal(format!("{name} is not available for this model"), name))
    }
}

fn find_fate(server: &dyn Server, name: &str) -> Option<FieldFate> {
    // One vocabulary can spell a field in another way than the client's format.
    let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let has_name = |field: &str| field.rsplit('.').next().is_some_and(|last| plain(last) == plain(name));
    server.field_rules().iter().find(|rule| has_name(rule.field)).map(|rule| rule.fate)
}

fn refusal(what: String, parameter: &str) -> ProviderError {
    let mut error = invalid_request(what).with_parameter(Some(parameter.to_owned()));
    error.code = Some("unsupported_parameter".to_owned());
    error
}
