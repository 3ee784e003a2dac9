//! What a call meets, looked at before anybody decides about it.

use serde::{Deserialize, Serialize};
use windlass_protocol::{Change, Containment, PlannedFile, Target};

/// What a call meets where it would run, and what it would change.
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
    /// What the paths of its effects meet.
    pub targets: Vec<Target>,
    /// What it would change in files, for a human to read.
    pub changes: Vec<Change>,
    /// The files that it would change, before and after; only where these are all that the call does, so that the files
    /// say afterwards whether it was done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub planned: Vec<PlannedFile>,
    /// How its processes would be confined; nothing for a tool that starts none.
    pub containment: Option<Containment>,
    /// The kind of the call, in words for a human, where its effects do not say enough: what the human allows for the
    /// session is allowed for calls of the same kind only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_kind: Option<String>,
}

impl Inspection {
    /// The same with one more target.
    pub fn with_target(mut self, target: Target) -> Self {
        self.targets.push(target);
        self
    }

    /// The same with one more change.
    pub fn with_change(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }

    /// The same with the files that it would change, before and after.
    pub fn with_planned(mut self, planned: impl IntoIterator<Item = PlannedFile>) -> Self {
        self.planned.extend(planned);
        self
    }

    /// The same with how processes would be confined.
    pub fn with_containment(mut self, containment: Containment) -> Self {
        self.containment = Some(containment);
        self
    }

    /// The same with the kind of the call.
    pub fn with_call_kind(mut self, kind: impl Into<String>) -> Self {
        self.call_kind = Some(kind.into());
        self
    }
}
