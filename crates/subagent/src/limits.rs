//! The limits on the number and the depth of agents.

/// The limits on agents below one root. A call that exceeds `depth` is refused with a result for the model.
/// If `at_once` agents work, calls of the root wait for a free place and calls of agents are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..AgentLimits::default()`")]
pub struct AgentLimits {
    /// The maximum number of levels below the root.
    pub depth: usize,
    /// The maximum number of agents that work at the same time, on all levels together.
    pub at_once: usize,
    /// The maximum number of answers of each agent. A definition can reduce it. With 0 the limit is off.
    pub turns: u32,
}

impl Default for AgentLimits {
    fn default() -> Self {
        Self { depth: 3, at_once: 8, turns: 40 }
    }
}
