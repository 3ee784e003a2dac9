//! How many tools an agent is given.

use serde::{Deserialize, Serialize};

use crate::catalogue::{MINIMAL, STANDARD};

/// How many tools an agent is given, before additions and removals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "three sizes, named by the product")]
pub enum Preset {
    /// Read, write, edit, run: four tools.
    Minimal,
    /// What a coding agent needs.
    #[default]
    Standard,
    /// All that is registered.
    Full,
}

impl Preset {
    /// Whether a tool of this name is in it.
    pub fn includes(self, name: &str) -> bool {
        match self {
            Self::Minimal => MINIMAL.contains(&name),
            Self::Standard => STANDARD.contains(&name),
            Self::Full => true,
        }
    }
}
