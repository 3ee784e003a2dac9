//! How many agents there may be, and how deep.

/// How many agents there may be, and how deep. What is over a limit is refused with a result that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..AgentLimits::default()`")]
pub struct AgentLimits {
    /// How many agents there may be from the root's down to the last, the root's not counted.
    pub depth: usize,
    /// How many may work at once, all together.
    pub at_once: usize,
    /// The most answers that each may use. A definition can lower it, not raise it. Zero turns the limit off.
    pub turns: u32,
}

impl Default for AgentLimits {
    fn default() -> Self {
        Self { depth: 3, at_once: 8, turns: 40 }
    }
}
