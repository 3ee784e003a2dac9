//! Values that a person chooses by name. Their serialized forms are part of the settings of stored runs.

use serde::{Deserialize, Serialize};
use windlass_hitl::Mode;
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

/// Autonomy of a run: which calls run without a question where no rule of the policy applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "the settings of a run name one of these")]
pub enum Autonomy {
    /// Every such call asks.
    #[default]
    Ask,
    /// Calls that only read run; all others are denied.
    ReadOnly,
    /// Calls that change files in the workspace run, too.
    AutoEdit,
    /// Confined commands that only read run, too.
    Auto,
    /// Calls that no rule allows are denied, because no person is present.
    Headless,
}

impl Autonomy {
    /// Returns the mode of the policy.
    pub fn mode(self) -> Mode {
        match self {
            Self::Ask => Mode::Ask,
            Self::ReadOnly => Mode::ReadOnly,
            Self::AutoEdit => Mode::AutoEdit,
            Self::Auto => Mode::Auto,
            Self::Headless => Mode::Headless,
        }
    }

    /// Returns true if a word is the name of a level, in any case.
    pub(crate) fn is_name(word: &str) -> bool {
        const NAMES: [&str; 5] = ["ask", "read-only", "auto-edit", "auto", "headless"];
        NAMES.iter().any(|name| name.eq_ignore_ascii_case(word))
    }
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
