//! Which tools an agent is given.

use serde::{Deserialize, Serialize};

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

/// Which tools an agent is given.
///
/// ```
/// use windlass_toolbox::{Preset, ToolConfig};
/// let config = ToolConfig::new(Preset::Minimal).with("grep_file").without("run_command");
/// assert!(config.includes("grep_file") && config.includes("read_file"));
/// assert!(!config.includes("run_command"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ToolConfig {
    /// The size to begin with.
    pub preset: Preset,
    /// Tools besides the preset's.
    pub additional: Vec<String>,
    /// Tools that are taken away, whatever else is said.
    pub disabled: Vec<String>,
}

const MINIMAL: &[&str] = &["read_file", "write_file", "edit_file", "run_command"];

const STANDARD: &[&str] = &[
    "read_file",
    "write_file",
    "edit_file",
    "list_files",
    "grep_file",
    "run_command",
    "update_todo_list",
    "ask_followup_question",
    "attempt_completion",
];

impl ToolConfig {
    /// A preset as it is.
    pub fn new(preset: Preset) -> Self {
        Self { preset, ..Self::default() }
    }

    /// The same tools and one more.
    pub fn with(mut self, name: impl Into<String>) -> Self {
        self.additional.push(name.into());
        self
    }

    /// The same tools without one.
    pub fn without(mut self, name: impl Into<String>) -> Self {
        self.disabled.push(name.into());
        self
    }

    /// Whether a tool of this name is given.
    pub fn includes(&self, name: &str) -> bool {
        let in_preset = match self.preset {
            Preset::Minimal => MINIMAL.contains(&name),
            Preset::Standard => STANDARD.contains(&name),
            Preset::Full => true,
        };
        (in_preset || self.additional.iter().any(|more| more == name))
            && !self.disabled.iter().any(|less| less == name)
    }
}

/// Names of other agents' tools under which models know the same tool (RULES N4): alias, then name.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("write_to_file", "write_file"),
    ("search_and_replace", "edit_file"),
    ("edit", "edit_file"),
    ("list_dir", "list_files"),
    ("search_files", "grep_file"),
    ("grep_files", "grep_file"),
    ("execute_command", "run_command"),
    ("shell", "run_command"),
    ("update_plan", "update_todo_list"),
];
