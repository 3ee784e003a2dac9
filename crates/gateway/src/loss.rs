//! The policy about fields that another format cannot express.

use windlass_wire::{ExcludedOption, FieldFate, ProviderError, Server};

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

/// A part of a request that the other format cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loss {
    /// The name in `x-windlass-lost` and in errors. For a field, this is the last part of its path.
    pub(crate) name: String,
    /// The fate by the rules of the client's format; `None` for a part without a rule.
    fate: Option<FieldFate>,
}

impl Loss {
    /// Creates the loss of a field of the client's format, with a point between the parts of its path.
    pub(crate) fn field(from: &dyn Server, path: &str) -> Self {
        let name = path.rsplit('.').next().unwrap_or(path).to_owned();
        let fate = from.field_rules().iter().find(|rule| rule.field == path).map(|rule| rule.fate);
        Self { name, fate }
    }

    /// Creates the loss of an option that changes an answer, in whichever field a format has it.
    pub(crate) fn option(name: &str) -> Self {
        Self { name: name.to_owned(), fate: Some(FieldFate::Translated) }
    }

    /// Creates the loss of a part without a rule.
    pub(crate) fn part(name: impl Into<String>) -> Self {
        Self { name: name.into(), fate: None }
    }
}

impl From<ExcludedOption> for Loss {
    fn from(option: ExcludedOption) -> Self {
        match option {
            // The other provider excludes thoughts beside options of the client that decide more about the answer.
            ExcludedOption::ReasoningEffort => Self::part(option.name()),
            _ => Self::option(option.name()),
        }
    }
}

impl LossPolicy {
    /// Returns the refusal of a request with these losses. `lost_input` is the kind of a lost part of a user's message.
    pub(crate) fn refuse(self, losses: &[Loss], lost_input: Option<&str>) -> Option<ProviderError> {
        if self == Self::Lenient {
            return None;
        }
        if let Some(kind) = lost_input {
            let what = format!("a part of the kind {kind:?} is not available for this model");
            return Some(refusal(what, "messages"));
        }
        let loss = losses.iter().find(|loss| match loss.fate {
            Some(FieldFate::LeftOut) => false,
            Some(_) => true,
            None => self == Self::Strict,
        })?;
        Some(refusal(format!("{} is not available for this model", loss.name), &loss.name))
    }
}

fn refusal(what: String, parameter: &str) -> ProviderError {
    let mut error = invalid_request(what).with_parameter(Some(parameter.to_owned()));
    error.code = Some("unsupported_parameter".to_owned());
    error
}
