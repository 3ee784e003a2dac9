//! What an assembler has to know before the first chunk.

use windlass_protocol::ToolName;

use crate::Limits;

/// What an assembler has to know before the first chunk.
///
/// ```
/// use windlass_assemble::{Assembler, Options};
/// use windlass_protocol::ToolName;
/// let options = Options::default().with_turn(3).with_tools([ToolName::new("read_file")?]);
/// let assembler = Assembler::new(options);
/// # let _ = assembler;
/// # Ok::<(), windlass_protocol::NameError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The number of the turn, for the ids of calls that come without one.
    pub turn: u64,
    /// The names on offer. With them a name that comes in pieces is known to be whole (RULES S5).
    pub tools: Vec<ToolName>,
    /// What is repaired of arguments that are nearly JSON.
    pub repairs: Repairs,
    /// How much one answer may hold.
    pub limits: Limits,
}

/// What is repaired of arguments that are nearly JSON, where the answer ended as it should (RULES J8).
///
/// Each repair is told in the call's [`Notes`](crate::Notes), and nothing that was cut is repaired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repairs {
    /// An object's text inside a string, which several providers send (RULES S6). Nothing else.
    #[default]
    Encoding,
    /// All that `windlass_partial_json::repair` does.
    All,
}

impl Options {
    /// The same options for another turn.
    pub fn with_turn(mut self, turn: u64) -> Self {
        self.turn = turn;
        self
    }

    /// The same options with these names on offer.
    pub fn with_tools(mut self, tools: impl IntoIterator<Item = ToolName>) -> Self {
        self.tools = tools.into_iter().collect();
        self
    }

    /// The same options with more or fewer repairs.
    pub fn with_repairs(mut self, repairs: Repairs) -> Self {
        self.repairs = repairs;
        self
    }

    /// The same options with other limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}
