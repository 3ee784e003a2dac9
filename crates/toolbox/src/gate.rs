//! The path rules that apply to a call while it runs.

use windlass_hitl::Policy;
use windlass_tool::PathGate;

use crate::CheckedCall;

impl CheckedCall {
    /// Returns policy's decision about paths that the call discovers while it runs. Set it in the context of
    /// the call; tools that walk folders check each path with it.
    ///
    /// ```
    /// # use windlass_hitl::Policy;
    /// # use windlass_tool::Context;
    /// # use windlass_toolbox::CheckedCall;
    /// fn gated(checked: &CheckedCall, policy: &Policy, ctx: Context) -> Context {
    ///     ctx.with_path_gate(checked.path_gate(policy))
    /// }
    /// ```
    pub fn path_gate(&self, policy: &Policy) -> PathGate {
        match policy.path_rules(&self.facts) {
            Some(rules) => PathGate::new(move |effect| rules.refuse(effect)),
            None => PathGate::default(),
        }
    }
}
