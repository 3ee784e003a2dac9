//! The comparison of a call at its run with the call that was decided.

use windlass_hitl::PolicyInput;
use windlass_protocol::{ResultStatus, ToolCall, ToolResult};
use windlass_toolbox::CheckedCall;

/// Returns the result of a call whose decision does not hold any more.
pub(super) fn refuse_stale(call: &ToolCall, what: &str) -> Box<ToolResult> {
    let text =
        format!("stale_approval: not run, because the call does not match the decision about it ({what}).");
    let advice = "Check the current state, and repeat the call if it is still correct.".to_owned();
    Box::new(ToolResult::text(call.id.clone(), ResultStatus::Denied, text).with_advice(advice))
}

/// Returns whether a call that the policy allowed has the same effects, targets and tool definition as when
/// it was decided.
pub(super) fn is_same(before: &CheckedCall, now: &CheckedCall) -> bool {
    let (known, met) = (&before.facts, &now.facts);
    let is_same_sight = known.tool == met.tool
        && known.effects == met.effects
        && known.targets == met.targets
        && known.containment == met.containment;
    is_same_sight && before.call == now.call && before.spec == now.spec
}

/// Describes for the model the change between the decision and the run.
pub(super) fn difference(before: &PolicyInput, now: &PolicyInput) -> String {
    let changed = now.targets.iter().find(|target| !before.targets.contains(target));
    if let Some(target) = changed {
        return format!("{} has changed", target.path);
    }
    if before.containment != now.containment {
        return "the confinement of its process would differ".to_owned();
    }
    if before.effects != now.effects {
        return "its effects would differ".to_owned();
    }
    "its arguments are not those that were approved".to_owned()
}
