//! The inspection of a call: the state it would run on and the changes it would make.

use serde::{Deserialize, Serialize};
use windlass_protocol::{Change, Containment, PlannedFile, Risk, Target};

/// The state that a call would run on and the changes it would make, collected without changing anything.
/// Policy decides by it, a human sees its changes, and an approval is bound to it.
///
/// ```
/// use windlass_protocol::{Change, Target};
/// use windlass_tool::Inspection;
/// let seen = Inspection::default()
///     .with_target(Target::missing("a.txt"))
///     .with_change(Change::new("a.txt", "@@ -0,0 +1 @@\n+hello\n"));
/// assert_eq!(seen.changes[0].path, "a.txt");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Inspection {
    /// The state of the paths that the call's effects name.
    pub targets: Vec<Target>,
    /// The changes to files, as diffs for a human to read.
    pub changes: Vec<Change>,
    /// The contents of files before and after the call. Set only if changing these files is everything that
    /// the call does, so that the files show afterwards whether the call took effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub planned: Vec<PlannedFile>,
    /// The confinement of the call's processes; `None` for a tool that starts no process.
    pub containment: Option<Containment>,
    /// A description of the call's kind for a human, for calls that their effects do not describe completely.
    /// An approval for the session is valid only for calls of the same kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_kind: Option<String>,
    /// The minimum risk of this call, in place of the minimum of the tool's hints. A tool sets it if the effects of
    /// a call describe the risk completely, as those of a command do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_risk: Option<Risk>,
}

impl Inspection {
    /// Adds a target.
    pub fn with_target(mut self, target: Target) -> Self {
        self.targets.push(target);
        self
    }

    /// Adds a change.
    pub fn with_change(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }

    /// Adds the planned contents of files.
    pub fn with_planned(mut self, planned: impl IntoIterator<Item = PlannedFile>) -> Self {
        self.planned.extend(planned);
        self
    }

    /// Sets the confinement of the call's processes.
    pub fn with_containment(mut self, containment: Containment) -> Self {
        self.containment = Some(containment);
        self
    }

    /// Sets the kind of the call.
    pub fn with_call_kind(mut self, kind: impl Into<String>) -> Self {
        self.call_kind = Some(kind.into());
        self
    }

    /// Sets the minimum risk of the call, in place of the minimum of the tool's hints.
    pub fn with_minimum_risk(mut self, risk: Risk) -> Self {
        self.minimum_risk = Some(risk);
        self
    }
}
