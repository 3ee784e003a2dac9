//! The available workflows, by name.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Workflow, builtin};

/// The origin of a workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the program's, the user's, the project's")]
pub enum Owner {
    /// Included in the program.
    Builtin,
    /// From the user's folder.
    User,
    /// From the project's folder. The origin grants no trust: policy checks its calls like all others.
    Project,
}

/// The available workflows. The first workflow with a name wins, so a project's workflow cannot replace a
/// user's.
///
/// ```
/// use windlass_workflow::Workflows;
/// let workflows = Workflows::builtin();
/// assert!(workflows.find("git_commit").is_some());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Workflows {
    all: BTreeMap<String, (Owner, Workflow)>,
}

impl Workflows {
    /// Returns the built-in workflows.
    pub fn builtin() -> Self {
        let mut workflows = Self::default();
        for workflow in builtin() {
            workflows.insert(Owner::Builtin, workflow);
        }
        workflows
    }

    /// Adds a workflow unless its name is taken. Returns true if it was added.
    pub fn insert(&mut self, owner: Owner, workflow: Workflow) -> bool {
        let name = workflow.name().to_owned();
        if self.all.contains_key(&name) {
            return false;
        }
        self.all.insert(name, (owner, workflow));
        true
    }

    /// Returns the workflow with this name.
    pub fn find(&self, name: &str) -> Option<&Workflow> {
        self.all.get(name).map(|(_, workflow)| workflow)
    }

    /// Returns all workflows with their origin, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = (&Workflow, Owner)> {
        self.all.values().map(|(owner, workflow)| (workflow, *owner))
    }

    /// Returns true if the collection is empty.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the names as a comma-separated list, for messages.
    pub fn names(&self) -> String {
        self.all.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Builtin => "built in",
            Self::User => "the user's",
            Self::Project => "the project's",
        })
    }
}
