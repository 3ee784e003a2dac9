//! The key of a step in a run.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The position of a step in a run: the names of the steps around it, the index of the list element, and its
/// own name, such as `gather.status` or `commit[2].add`. Equal in every run of the same workflow with the
/// same values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepKey(String);

impl StepKey {
    /// Returns the key of the whole workflow, which does not appear in events or records.
    pub(crate) fn root() -> Self {
        Self(String::new())
    }

    pub(crate) fn child(&self, name: &str) -> Self {
        if self.0.is_empty() { Self(name.to_owned()) } else { Self(format!("{self}.{name}")) }
    }

    pub(crate) fn element(&self, position: usize) -> Self {
        Self(format!("{self}[{position}]"))
    }

    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StepKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
