//! Which tools an agent is given.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::catalogue::MAIN_AGENT;
use crate::{ModelRule, Preset};

/// Which tools an agent is given, and under which names. Tools are meant by their own names, never by an alias.
///
/// ```
/// use windlass_toolbox::{Preset, ToolConfig};
/// let config = ToolConfig::new(Preset::Minimal).with("grep_file").without("run_command");
/// assert!(config.includes("grep_file") && config.includes("read_file"));
/// assert!(!config.includes("run_command"));
/// assert!(ToolConfig::main_agent().includes("apply_patch"));
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
    /// Features that are on: some tools wait for one.
    pub features: BTreeSet<String>,
    /// Tools that wait for a feature besides those that say so themselves: tool, then feature.
    pub gates: BTreeMap<String, String>,
    /// Tools that the model is shown under another name: the tool's own name, then what it sees (RULES N4). The own
    /// name still leads to it.
    pub rename: BTreeMap<String, String>,
    /// What is different for some models. The first rule that fits a model counts, and these stand before those that
    /// are built in.
    #[serde(rename = "model")]
    pub models: Vec<ModelRule>,
}

impl ToolConfig {
    /// A preset as it is.
    pub fn new(preset: Preset) -> Self {
        Self { preset, ..Self::default() }
    }

    /// What the main agent of an application has: the standard preset, code and patches.
    pub fn main_agent() -> Self {
        MAIN_AGENT.iter().fold(Self::new(Preset::Standard), |config, name| config.with(*name))
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

    /// The same tools with a feature on.
    pub fn with_feature(mut self, feature: impl Into<String>) -> Self {
        self.features.insert(feature.into());
        self
    }

    /// The same tools, one of which waits for a feature.
    pub fn with_gate(mut self, name: impl Into<String>, feature: impl Into<String>) -> Self {
        self.gates.insert(name.into(), feature.into());
        self
    }

    /// The same tools, one of which the model is shown under another name.
    pub fn renaming(mut self, name: impl Into<String>, shown: impl Into<String>) -> Self {
        self.rename.insert(name.into(), shown.into());
        self
    }

    /// The same tools with a rule for some models, before the others.
    pub fn with_model(mut self, rule: ModelRule) -> Self {
        self.models.push(rule);
        self
    }

    /// Whether a tool of this name is in the preset or added, and not taken away. Whether it is offered depends on the
    /// model, the mode and its feature too.
    pub fn includes(&self, name: &str) -> bool {
        self.wants(name) && !self.disabled.iter().any(|less| less == name)
    }

    /// Whether preset or additions have a tool.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.preset.includes(name) || self.adds(name)
    }

    pub(crate) fn adds(&self, name: &str) -> bool {
        self.additional.iter().any(|more| more == name)
    }

    /// The feature that a tool waits for, by the configuration or by its own word, if it is off.
    pub(crate) fn missing_feature<'a>(&'a self, name: &str, own: Option<&'a str>) -> Option<&'a str> {
        let feature = self.gates.get(name).map(String::as_str).or(own)?;
        (!self.features.contains(feature)).then_some(feature)
    }

    /// The rule for a model.
    pub(crate) fn rule(&self, model: Option<&str>) -> ModelRule {
        let Some(model) = model else { return ModelRule::default() };
        let known = ModelRule::known();
        self.models.iter().chain(&known).find(|rule| rule.fits(model)).cloned().unwrap_or_default()
    }

    /// Every name that has to be a registered tool's, or at least one that is known.
    pub(crate) fn named(&self) -> impl Iterator<Item = &String> {
        self.additional.iter().chain(&self.disabled).chain(self.gates.keys()).chain(self.rename.keys())
    }
}
