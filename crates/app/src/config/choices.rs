//! Values that a person chooses by name. Their serialized forms are part of the settings of stored runs.

use serde::{Deserialize, Serialize};
use windlass_toolbox::Preset;

/// Confinement of the processes that tools start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "the settings of a run name one of these")]
pub enum Confinement {
    /// The best level that the machine supports.
    #[default]
    Auto,
    /// Namespaces, or an error.
    Required,
    /// None: each command can do what the user can.
    Off,
}

/// Set of tools that a run offers by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_enums, reason = "the settings of a run name one of these")]
pub enum ToolPreset {
    /// Tools that read, write, edit and run.
    Minimal,
    /// The tools of a coding agent.
    #[default]
    Standard,
    /// All tools.
    Full,
}

impl ToolPreset {
    pub(crate) fn preset(self) -> Preset {
        match self {
            Self::Minimal => Preset::Minimal,
            Self::Standard => Preset::Standard,
            Self::Full => Preset::Full,
        }
    }
}
