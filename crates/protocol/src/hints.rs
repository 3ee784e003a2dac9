//! What a tool says about itself.

use serde::{Deserialize, Serialize};

/// How much harm a call could do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "four levels, named by the product")]
pub enum Risk {
    /// Reads inside the workspace.
    Low,
    /// Changes that can be undone.
    #[default]
    Medium,
    /// Runs programs, deletes, or reaches outside.
    High,
    /// Touches what protects everything else.
    Critical,
}

/// Whether a tool may run beside others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "shared or alone, there is no third")]
pub enum Concurrency {
    /// Runs beside other parallel tools.
    Parallel,
    /// Runs alone.
    #[default]
    Exclusive,
}

/// What a call means to the loop, besides its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Control {
    /// Nothing: the result goes back to the model.
    #[default]
    None,
    /// The model says that the task is done.
    Completion,
    /// The call changes the mode of the run: calls before it in an answer end first, those behind it are judged in the new
    /// mode (RULES L11).
    ModeSwitch,
    /// The call is the last of its answer: it begins when those before it have ended, and those after it do not
    /// begin (RULES L12). For calls that hand the work to somebody else.
    Last,
}

/// What a tool says about itself, before any call.
///
/// ```
/// use windlass_protocol::{Concurrency, Hints};
/// let hints = Hints::read_only();
/// assert_eq!(hints.concurrency, Concurrency::Parallel);
/// assert!(hints.idempotent);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::exhaustive_structs, reason = "tools write it with `..Hints::default()`")]
#[expect(clippy::struct_excessive_bools, reason = "each is said by itself, as MCP has them")]
pub struct Hints {
    /// Nothing changes when it runs.
    pub read_only: bool,
    /// Running it twice does what running it once does.
    pub idempotent: bool,
    /// It keeps a record of its own: a call that was cut off, or whose result was to come later, goes on from there when
    /// it is made again under the same key. Nothing that it did is done twice.
    pub resumable: bool,
    /// It reaches systems that nobody here controls, so its results are not to be trusted.
    pub open_world: bool,
    /// Whether it may run beside others.
    pub concurrency: Concurrency,
    /// What a call means to the loop.
    pub control: Control,
    /// The least risk that a call has. Policy may raise it by what the call would do.
    pub risk: Risk,
}

impl Hints {
    /// Reads only: idempotent, parallel, low risk.
    pub fn read_only() -> Self {
        Self {
            read_only: true,
            idempotent: true,
            concurrency: Concurrency::Parallel,
            risk: Risk::Low,
            ..Self::default()
        }
    }
}
