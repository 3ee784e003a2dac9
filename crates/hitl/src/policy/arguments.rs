//! Compiled conditions about the arguments of a call.

use globset::Candidate;
use serde_json::Value;
use windlass_protocol::Payload;

use super::PolicyError;
use super::glob::PathGlob;
use crate::{Action, ArgumentCondition};

/// Maximum length of a text that is compared with a glob, in bytes.
const LONGEST_TEXT: usize = 4_096;

/// Compiled form of an [`ArgumentCondition`].
#[derive(Clone, Debug)]
pub(crate) struct ArgumentMatcher {
    condition: ArgumentCondition,
    glob: Option<PathGlob>,
}

impl ArgumentMatcher {
    pub(super) fn new(id: &str, condition: ArgumentCondition) -> Result<Self, PolicyError> {
        if !(condition.at.is_empty() || condition.at.starts_with('/')) {
            return Err(PolicyError::Pointer { id: id.to_owned(), pointer: condition.at });
        }
        let bounds = [condition.at_most, condition.at_least];
        if bounds.into_iter().flatten().any(|bound| !bound.is_finite()) {
            return Err(PolicyError::Bound { id: id.to_owned() });
        }
        let glob = condition.glob.as_deref().map(|glob| PathGlob::new(id, glob)).transpose()?;
        Ok(Self { condition, glob })
    }

    /// Returns whether the condition matches for a rule with this action.
    pub(super) fn fits(&self, action: Action, payload: &Payload) -> bool {
        match payload {
            Payload::Function { arguments } | Payload::Mcp { arguments, .. } => {
                let value = arguments.as_value().pointer(&self.condition.at);
                value.is_some_and(|value| self.fits_value(action, value))
            }
            Payload::Custom { input } => {
                self.condition.at.is_empty() && self.fits_value(action, &Value::String(input.clone()))
            }
            _ => false,
        }
    }

    fn fits_value(&self, action: Action, value: &Value) -> bool {
        let if_unclear = action != Action::Allow;
        let is_listed = self.condition.one_of.is_empty()
            || self.condition.one_of.iter().any(|listed| are_equal(listed, value));
        let glob = self.glob.as_ref().map(|glob| match value {
            // Matching takes time with the length of the text.
            Value::String(text) if text.len() <= LONGEST_TEXT => glob.fits(&Candidate::new(text)),
            _ => if_unclear,
        });
        let bound = |bound: Option<f64>, holds: fn(f64, f64) -> bool| {
            bound.map(|bound| value.as_f64().map_or(if_unclear, |value| holds(value, bound)))
        };
        let bounds = [
            bound(self.condition.at_most, |value, most| value <= most),
            bound(self.condition.at_least, |value, least| value >= least),
        ];
        is_listed && glob.unwrap_or(true) && bounds.into_iter().flatten().all(|holds| holds)
    }
}

/// Compares two values. Numbers are equal if their values are, so `1.0` does not evade a rule about `1`.
fn are_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        _ => left == right,
    }
}
