//! Presets: the base selection of tools.

use serde::{Deserialize, Serialize};

use crate::catalogue::{MINIMAL, STANDARD};

/// The base selection of tools for an agent, before additions and removals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "three sizes, named by the product")]
pub enum Preset {
    /// Four tools: read, write and edit files, and run commands.
    Minimal,
    /// The tools that a coding agent needs.
    #[default]
    Standard,
    /// All registered tools.
    Full,
}

impl Preset {
    /// Returns whether the preset contains a tool.
    pub fn includes(self, name: &str) -> bool {
        match self {
            Self::Minimal => MINIMAL.contains(&name),
            Self::Standard => STANDARD.contains(&name),
            Self::Full => true,
        }
    }
}
