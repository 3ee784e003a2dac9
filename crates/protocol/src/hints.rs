//! Hints of a tool about itself.

use serde::{Deserialize, Serialize};

/// The harm that a call could cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "four levels, named by the product")]
pub enum Risk {
    /// Reads inside the workspace.
    Low,
    /// Changes that can be reverted.
    #[default]
    Medium,
    /// Runs programs, deletes files, or accesses resources outside the workspace.
    High,
    /// Changes the protection of the system itself.
    Critical,
}

/// The concurrency of a tool's calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "shared or alone; the set is closed")]
pub enum Concurrency {
    /// Runs side by side with other parallel tools.
    Parallel,
    /// Runs alone.
    #[default]
    Exclusive,
}

/// The effect of a call on the loop, in addition to its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Control {
    /// No effect: the result is sent to the model.
    #[default]
    None,
    /// The model declares that the task is complete. The argument `result` is the text of the completion.
    Completion,
    /// Like `Completion`, but all arguments of the call are the answer of the task. For the answer of a type.
    Answer,
    /// The call changes the mode of the run. Earlier calls of the same answer end first; later calls are
    /// decided in the new mode (RULES L11).
    ModeSwitch,
    /// The call is the last of its answer: it begins after earlier calls have ended, and later calls do not
    /// begin (RULES L12). For calls that hand the work over.
    Last,
}

impl Control {
    /// Returns true if a successful call completes the task.
    pub fn is_completion(self) -> bool {
        matches!(self, Self::Completion | Self::Answer)
    }
}

/// The hints of a tool about itself, independent of a call. The default is conservative: the tool modifies
/// state, is not idempotent, runs alone and has medium risk.
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
#[expect(clippy::struct_excessive_bools, reason = "MCP states each of them separately")]
pub struct Hints {
    /// True if a call does not change anything.
    pub read_only: bool,
    /// True if a repeated call has the same effect as one call.
    pub idempotent: bool,
    /// True if the tool records its own progress: a call that was interrupted, or whose result is deferred,
    /// resumes when it is repeated with the same idempotency key. Completed work is not repeated.
    pub resumable: bool,
    /// True if the tool accesses systems outside of the user's control, so that its results are untrusted.
    pub open_world: bool,
    /// True if the model calls the tool again to wait for a change, such as the end of a job. Equal calls in a
    /// row are never refused; the limit of turns still applies.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub polls: bool,
    /// The concurrency of the calls.
    pub concurrency: Concurrency,
    /// The effect of a call on the loop.
    pub control: Control,
    /// The minimum risk of a call. Policy may raise it because of the call's effects.
    pub risk: Risk,
}

impl Hints {
    /// Returns the hints of a tool that only reads: idempotent, parallel, low risk.
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
