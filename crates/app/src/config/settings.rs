//! The settings of a run.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlass_agent::Budget;
use windlass_protocol::{Part, RawJson, RequestOptions, ToolProtocol};

use super::{Autonomy, Confinement, PromptOptions, Task, ToolPreset, ToolSelection, resolve_root};
use crate::error::{Context as _, Result};
use crate::providers::Provider;

/// Settings of a run, stored so that another process can resume it. They contain no keys.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each one is a setting of its own with a name")]
pub struct RunSettings {
    /// The task in words.
    pub task: String,
    /// The parts of the task after its text, such as pictures and files. The record of the run has them, so the
    /// stored settings do not; those of a recording do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// The provider and the model.
    pub provider: Provider,
    /// Root folder of the workspace, absolute and without links.
    pub root: PathBuf,
    /// Policy file in place of the user's default one.
    pub policy: Option<PathBuf>,
    /// Tools that the run offers by default.
    pub preset: ToolPreset,
    /// Confinement of the run's commands.
    #[serde(default)]
    pub sandbox: Confinement,
    /// Autonomy: which calls run without a question.
    #[serde(default)]
    #[serde(rename = "mode")]
    pub autonomy: Autonomy,
    /// Tools and features in addition to the preset.
    #[serde(default)]
    pub offering: ToolSelection,
    /// True if the run uses the configured MCP servers. Runs of earlier versions did not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub servers: bool,
    /// Maximum number of answers of the model; 0 means unlimited.
    pub max_turns: u32,
    /// Cost at which the run stops, in millionths of the currency of the budget's prices; 0 means unlimited.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub max_cost: u64,
    /// JSON Schema of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_schema: Option<RawJson>,
    /// True if the task ends only with the completion tool. Otherwise a plain answer in words ends it, too. Runs of
    /// earlier versions had this contract.
    #[serde(default = "has_contract")]
    pub until_done: bool,
    /// True if the run makes no checkpoints.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_checkpoints: bool,
    /// Context window of the model in tokens; 0 if it is unknown.
    #[serde(default)]
    pub context_window: u64,
    /// True if the conversation before the run is compacted before the first request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compact_first: bool,
    /// True if the run only compacts the conversation before it. Its task is for people, and the model does not see it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_compacts: bool,
    /// True if the run before this one only compacted the conversation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub follows_compaction: bool,
    /// Usage limits. At a limit the run asks a human whether to continue.
    #[serde(default)]
    pub budget: Budget,
    /// Options of each request to the model.
    #[serde(default, skip_serializing_if = "RequestOptions::is_default")]
    pub request: RequestOptions,
    /// Providers that are used, in order, if the first one fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<Provider>,
    /// Form in which calls reach the model, if the user chose one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<ToolProtocol>,
    /// Text format of calls, if the user chose one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// Words of the user for the system prompt.
    #[serde(default, skip_serializing_if = "PromptOptions::is_default")]
    pub prompt: PromptOptions,
    /// Facts and instruction files in the system prompt, as they were at the start of the first run of the session.
    /// `None` before that. Runs of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Id of the session of the run. A run without one is a session of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Id of the run that this run continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

/// Returns the value of [`RunSettings::until_done`] in the settings of runs of earlier versions.
fn has_contract() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature of serde")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl RunSettings {
    /// Creates settings with defaults: the preset [`ToolPreset::Standard`], at most 100 turns, the configured
    /// MCP servers.
    ///
    /// # Errors
    ///
    /// Fails if the root folder cannot be opened.
    pub fn new(task: impl Into<String>, provider: Provider, root: &Path) -> Result<Self> {
        Ok(Self {
            task: task.into(),
            parts: Vec::new(),
            provider,
            root: resolve_root(root)?,
            policy: None,
            preset: ToolPreset::default(),
            sandbox: Confinement::default(),
            autonomy: Autonomy::default(),
            offering: ToolSelection::default(),
            servers: true,
            max_turns: 100,
            max_cost: 0,
            answer_schema: None,
            until_done: false,
            no_checkpoints: false,
            context_window: 0,
            compact_first: false,
            only_compacts: false,
            follows_compaction: false,
            budget: Budget::default(),
            request: RequestOptions::default(),
            fallbacks: Vec::new(),
            protocol: None,
            dialect: None,
            prompt: PromptOptions::default(),
            context: None,
            session: None,
            parent: None,
        })
    }

    /// Sets the task with its parts.
    pub fn with_task(mut self, task: impl Into<Task>) -> Self {
        let Task { text, parts } = task.into();
        (self.task, self.parts) = (text, parts);
        self
    }

    /// Selects a policy file in place of the user's default one, by its path without links.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened.
    pub fn with_policy_file(mut self, file: &Path) -> Result<Self> {
        let path = file.canonicalize();
        self.policy =
            Some(path.with_context(|| format!("the policy file {} cannot be opened", file.display()))?);
        Ok(self)
    }
}
