//! Names and classes of the work that commands request, for durable engines that must know whether work may
//! be repeated after a crash (DESIGN "Where it runs").

use serde::{Deserialize, Serialize};
use windlass_protocol::Hints;

/// The name and the class of the work that a command requests. The command itself is the description of the
/// work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Step {
    /// The key of the step in its run, the same in every process: `model-3`, `model-3-2` for the second
    /// attempt at that answer, `guidance-1`, `tool-CALL`, `approval-CALL`, `judge-CALL` for a decision of the policy
    /// (histories of engines have this name) and so on.
    pub key: String,
    /// The repeatability of the step after a crash.
    pub class: StepClass,
    /// The number of times that another process had resumed the run. It is a fencing token: if two processes
    /// execute the same step, as after a failover, refuse the one with the lower number.
    pub generation: u32,
}

/// The repeatability of a step that started and whose completion is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "every driver has to know all of them")]
pub enum StepClass {
    /// The step changes nothing and can be repeated.
    Pure,
    /// The step is idempotent, because it only waits for an answer or keeps a record of its own.
    Idempotent,
    /// The step must not be repeated. The machine inspects the files or reports unknown effects.
    Once,
}

impl StepClass {
    /// Returns the class of a call of a tool with these hints.
    pub(crate) fn from_hints(hints: Hints) -> Self {
        if hints.read_only {
            Self::Pure
        } else if hints.resumable {
            Self::Idempotent
        } else {
            Self::Once
        }
    }
}

/// The kind of work of a step, for reports about a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StepKind {
    /// The configuration of a run is made.
    Begin,
    /// A request to the model: one attempt at an answer or a summary.
    Model,
    /// Policy decides about a call.
    Decide,
    /// A tool runs.
    Tool,
    /// The files of an interrupted call are compared with its plan.
    Reconcile,
}

impl StepKind {
    /// Returns the name of the kind in reports.
    ///
    /// ```
    /// assert_eq!(windlass_loop::StepKind::Model.as_str(), "model");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::Model => "model",
            Self::Decide => "decide",
            Self::Tool => "tool",
            Self::Reconcile => "reconcile",
        }
    }
}
