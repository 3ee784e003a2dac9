//! Where a step stands in a run.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a step stands in a run: its name, behind those of the steps around it and the position of its element, as
/// `gather.status` or `commit[2].add`. The same in every run of the same workflow with the same values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepKey(String);

impl StepKey {
    /// The key of the whole, which is never told.
    pub(crate) fn root() -> Self {
        Self(String::new())
    }

    pub(crate) fn child(&self, name: &str) -> Self {
        if self.0.is_empty() { Self(name.to_owned()) } else { Self(format!("{self}.{name}")) }
    }

    pub(crate) fn element(&self, position: usize) -> Self {
        Self(format!("{self}[{position}]"))
    }

    /// The key's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StepKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
