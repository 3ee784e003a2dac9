//! The configuration of an assembler.

use serde::{Deserialize, Serialize};
use windlass_protocol::ToolName;

use crate::AssembleLimits;

/// The configuration of an assembler.
///
/// ```
/// use windlass_assemble::{Assembler, AssembleOptions};
/// use windlass_protocol::ToolName;
/// let options = AssembleOptions::default().with_turn(3).with_tools([ToolName::new("read_file")?]);
/// let assembler = Assembler::new(options);
/// # let _ = assembler;
/// # Ok::<(), windlass_protocol::NameError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AssembleOptions {
    /// The number of the turn, which is part of synthesized call ids.
    pub turn: u64,
    /// The names of the offered tools. They determine when a name that arrives in pieces is complete
    /// (RULES S5).
    pub tools: Vec<ToolName>,
    /// The permitted repairs of almost valid JSON.
    pub repairs: Repairs,
    /// The limits on the size of one answer.
    pub limits: AssembleLimits,
}

/// The permitted repairs of almost valid JSON arguments, if the answer ended regularly (RULES J8).
///
/// Each repair is listed in the call's [`Notes`](crate::Notes). Truncated arguments are never repaired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Repairs {
    /// Only an object that is encoded in a string, which several providers send (RULES S6).
    #[default]
    Encoding,
    /// All repairs of `windlass_partial_json::repair`.
    All,
}

impl AssembleOptions {
    /// Sets the number of the turn.
    pub fn with_turn(mut self, turn: u64) -> Self {
        self.turn = turn;
        self
    }

    /// Sets the names of the offered tools.
    pub fn with_tools(mut self, tools: impl IntoIterator<Item = ToolName>) -> Self {
        self.tools = tools.into_iter().collect();
        self
    }

    /// Sets the permitted repairs.
    pub fn with_repairs(mut self, repairs: Repairs) -> Self {
        self.repairs = repairs;
        self
    }

    /// Sets the limits.
    pub fn with_limits(mut self, limits: AssembleLimits) -> Self {
        self.limits = limits;
        self
    }
}
