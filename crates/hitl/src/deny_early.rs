//! The denial of a call while its arguments still stream.

use windlass_protocol::{Effect, Risk, ToolName};

use crate::burden::too_many_effects;
use crate::decide::denial;
use crate::part::Part;
use crate::{Decision, Policy, Reason};

/// Returns the reason why a call with at least these effects will be denied, or `None` if that is not
/// certain. Callers use it while other arguments of the call still stream (DESIGN "Early decision").
///
/// Only denials that cannot be lifted count: limits, validity, the floor, deny rules and constraints.
/// Rules about arguments, autonomy, grants and the human are not consulted.
///
/// ```
/// use windlass_hitl::{Policy, deny_early};
/// use windlass_protocol::{Effect, ToolName};
///
/// let write = |path: &str| [Effect::Write { path: path.into(), bytes: None }];
/// let tool = ToolName::new("write_file")?;
/// assert_eq!(deny_early(&Policy::default(), &tool, &write("src/lib.rs")), None);
/// let reason = deny_early(&Policy::default(), &tool, &write("../../etc/passwd"));
/// assert_eq!(reason.map(|reason| reason.rule_id), Some("f.outside_write".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn deny_early(policy: &Policy, tool: &ToolName, effects: &[Effect]) -> Option<Reason> {
    if let Some(reason) = too_many_effects(effects) {
        return Some(reason);
    }
    let policy = policy.for_payload(None);
    let parts = effects.iter().map(Part::from_effect);
    let denials: Vec<_> = parts.filter_map(|part| denial(&policy, tool, &part)).collect();
    (!denials.is_empty()).then(|| Decision::from_trace(denials, Risk::Low).reason)
}
