//! The configuration of the tools that an agent receives.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::catalogue::MAIN_AGENT;
use crate::{ModelRule, Preset};

/// The selection of tools for an agent, with their display names. Tools are identified by their registered
/// names, never by an alias.
///
/// ```
/// use windlass_toolbox::{Preset, ToolConfig};
/// let config = ToolConfig::new(Preset::Minimal).with_tool("grep_file").remove_tool("run_command");
/// assert!(config.includes("grep_file") && config.includes("read_file"));
/// assert!(!config.includes("run_command"));
/// assert!(ToolConfig::main_agent().includes("apply_patch"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ToolConfig {
    /// The base preset.
    pub preset: Preset,
    /// Tools in addition to the preset.
    pub additional: Vec<String>,
    /// Tools that are removed; this takes precedence over every other setting.
    pub disabled: Vec<String>,
    /// The enabled features, which some tools require.
    pub features: BTreeSet<String>,
    /// Required features by tool, for tools that do not declare a feature themselves. An entry overrides the
    /// tool's own declaration.
    pub gates: BTreeMap<String, String>,
    /// Display names by registered tool name (RULES N4). The registered name still resolves to the tool.
    pub rename: BTreeMap<String, String>,
    /// Rules for specific models. The first rule that matches a model applies; these rules come before the
    /// built-in rules.
    #[serde(rename = "model")]
    pub models: Vec<ModelRule>,
}

impl ToolConfig {
    /// Creates the configuration of a preset without changes.
    pub fn new(preset: Preset) -> Self {
        Self { preset, ..Self::default() }
    }

    /// Creates the configuration for the main agent of an application: the standard preset with
    /// `execute_code` and `apply_patch`.
    pub fn main_agent() -> Self {
        MAIN_AGENT.iter().fold(Self::new(Preset::Standard), |config, name| config.with_tool(*name))
    }

    /// Adds a tool.
    pub fn with_tool(mut self, name: impl Into<String>) -> Self {
        self.additional.push(name.into());
        self
    }

    /// Removes a tool.
    pub fn remove_tool(mut self, name: impl Into<String>) -> Self {
        self.disabled.push(name.into());
        self
    }

    /// Enables a feature.
    pub fn with_feature(mut self, feature: impl Into<String>) -> Self {
        self.features.insert(feature.into());
        self
    }

    /// Makes a tool require a feature.
    pub fn with_gate(mut self, name: impl Into<String>, feature: impl Into<String>) -> Self {
        self.gates.insert(name.into(), feature.into());
        self
    }

    /// Sets the display name of a tool.
    pub fn renaming(mut self, name: impl Into<String>, shown: impl Into<String>) -> Self {
        self.rename.insert(name.into(), shown.into());
        self
    }

    /// Appends a rule for models, which comes before the built-in rules.
    pub fn with_model(mut self, rule: ModelRule) -> Self {
        self.models.push(rule);
        self
    }

    /// Returns whether a tool is in the preset or added, and not disabled. The offer also depends on the
    /// model, the mode and the feature of the tool.
    pub fn includes(&self, name: &str) -> bool {
        self.wants(name) && !self.disabled.iter().any(|less| less == name)
    }

    /// Returns whether the preset or the additions contain a tool.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.preset.includes(name) || self.adds(name)
    }

    pub(crate) fn adds(&self, name: &str) -> bool {
        self.additional.iter().any(|more| more == name)
    }

    /// Returns the feature that a tool requires but that is not enabled. An entry in `gates` takes precedence
    /// over the tool's own declaration.
    pub(crate) fn missing_feature<'a>(&'a self, name: &str, own: Option<&'a str>) -> Option<&'a str> {
        let feature = self.gates.get(name).map(String::as_str).or(own)?;
        (!self.features.contains(feature)).then_some(feature)
    }

    /// Returns the rule for a model.
    pub(crate) fn rule(&self, model: Option<&str>) -> ModelRule {
        let Some(model) = model else { return ModelRule::default() };
        let known = ModelRule::builtin_rules();
        self.models.iter().chain(&known).find(|rule| rule.fits(model)).cloned().unwrap_or_default()
    }

    /// Iterates over all names that must be registered or well known.
    pub(crate) fn iter_names(&self) -> impl Iterator<Item = &String> {
        self.additional.iter().chain(&self.disabled).chain(self.gates.keys()).chain(self.rename.keys())
    }
}
