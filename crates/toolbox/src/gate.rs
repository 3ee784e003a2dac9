//! The rules that a call carries while it runs.

use windlass_hitl::Policy;
use windlass_tool::PathGate;

use crate::Checked;

impl Checked {
    /// What the policy says about paths that the call comes upon while it runs. Give it to the context of the call: tools
    /// that walk folders ask it.
    ///
    /// ```
    /// # use windlass_hitl::Policy;
    /// # use windlass_tool::Context;
    /// # use windlass_toolbox::Checked;
    /// fn gated(checked: &Checked, policy: &Policy, ctx: Context) -> Context {
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
