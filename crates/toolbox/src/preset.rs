//! Presets: the base selection of tools.

use serde::{Deserialize, Serialize};

use crate::catalogue::{MINIMAL, STANDARD};

/// The base selection of tools for an agent, before additions and removals.
///
/// A preset selects among the tools that the program registers: it adds none. Tools of the program that are not in a list
/// of this crate are part of [`Full`](Self::Full) only, or are added by name with `ToolConfig::with_tool`.
///
/// ```
/// use windlass_toolbox::{Preset, ToolConfig};
///
/// assert!(Preset::Minimal.includes("run_command") && !Preset::Minimal.includes("grep_file"));
/// let config = ToolConfig::new(Preset::Minimal).with_tool("grep_file");
/// assert!(config.includes("grep_file"));
/// ```
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
