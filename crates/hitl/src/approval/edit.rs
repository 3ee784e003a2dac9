//! Approvals with changed arguments.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use windlass_protocol::{Arguments, Effect, Payload};

use crate::ApprovalRequest;

impl ApprovalRequest {
    /// Returns whether a human who answered this request with an approval and these arguments has thereby
    /// approved `edited`, the request about the changed call.
    ///
    /// The answer covers the changed call if the human could see everything that matters: the call has exactly
    /// these arguments, the same rule asks, the risk is not higher, the call has no kind of effect that the
    /// request did not show, its processes are confined in the same way, its paths lead to themselves, and it
    /// changes no file for which a diff must be shown. Otherwise the human is asked again.
    pub fn covers_edit(&self, edited: &Self, arguments: &Arguments) -> bool {
        let has_these = match &edited.call.payload {
            Payload::Function { arguments: own } | Payload::Mcp { arguments: own, .. } => {
                own.canonical() == arguments.canonical()
            }
            _ => false,
        };
        let shown: BTreeSet<&str> = self.effects.iter().map(Effect::kind).collect();
        has_these
            && edited.call.id == self.call.id
            && edited.tool == self.tool
            && edited.reason.rule_id == self.reason.rule_id
            && edited.risk <= self.risk
            && edited.effects.iter().all(|effect| shown.contains(effect.kind()))
            && edited.containment == self.containment
            && edited.targets.iter().all(|target| target.path == target.resolved)
            && edited.changes.is_empty()
    }
}

/// Reads changed arguments: a JSON object, or the text of one.
pub(super) fn read_arguments<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Arguments>, D::Error> {
    let text = match Option::<Value>::deserialize(from)? {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text,
        Some(value) => value.to_string(),
    };
    Arguments::parse(text).map(Some).map_err(serde::de::Error::custom)
}
