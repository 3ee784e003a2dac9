//! The workflows that there are, by their names.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Workflow, builtin};

/// Whose a workflow is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the program's, the user's, the project's")]
pub enum Owner {
    /// It comes with the program.
    Builtin,
    /// It lies in the user's folder.
    User,
    /// It lies in the project. Nothing is trusted because of it: its calls are judged like all others.
    Project,
}

/// The workflows that there are. Of two with one name the first counts, so that a project's does not stand in the place of
/// a user's.
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
    /// Those that come with the program.
    pub fn builtin() -> Self {
        let mut workflows = Self::default();
        for workflow in builtin() {
            workflows.insert(Owner::Builtin, workflow);
        }
        workflows
    }

    /// Adds one, unless there is one of its name; whether it was added.
    pub fn insert(&mut self, owner: Owner, workflow: Workflow) -> bool {
        let name = workflow.name().to_owned();
        if self.all.contains_key(&name) {
            return false;
        }
        self.all.insert(name, (owner, workflow));
        true
    }

    /// The workflow of a name.
    pub fn find(&self, name: &str) -> Option<&Workflow> {
        self.all.get(name).map(|(_, workflow)| workflow)
    }

    /// All of them by name, and whose they are.
    pub fn iter(&self) -> impl Iterator<Item = (&Workflow, Owner)> {
        self.all.values().map(|(owner, workflow)| (workflow, *owner))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Their names, for a message.
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
