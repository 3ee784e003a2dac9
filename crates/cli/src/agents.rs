//! Sub-agents that a run can start: the built-in ones, the user's, and the project's if their feature is
//! enabled.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use windlass_agent::Prices;
use windlass_journal::Journals;
use windlass_sandbox::{SettingsOwner, read_settings, settings_files};
use windlass_stream::Model;
use windlass_subagent::{AgentDefinition, ModelSource, SourcedModel, SubAgents};

use crate::arguments::Offering;
use crate::{complaint, output, policies};

/// Features that offer sub-agents and the project's sub-agents. They are off by default because their
/// descriptions reach the model at the start of each run.
pub(crate) const FEATURE: &str = "agents";
pub(crate) const PROJECT_FEATURE: &str = "project_agents";
/// Folder of Markdown files, in the user's folder of settings and in a project's.
const FOLDER: &str = "agents";
const PROJECT: &str = ".windlass";

/// Returns true if a run offers sub-agents.
pub(crate) fn are_offered(offering: &Offering) -> bool {
    offering.has_feature(FEATURE) || offering.has_feature(PROJECT_FEATURE)
}

/// Returns the sub-agents of the user, then those of the project. The first one of a name has precedence.
pub(crate) fn defined(root: &Path, offering: &Offering) -> Vec<AgentDefinition> {
    let mut agents = policies::settings()
        .map(|folder| read(&folder.join(FOLDER), SettingsOwner::User))
        .unwrap_or_default();
    if offering.has_feature(PROJECT_FEATURE) {
        agents.extend(read(&root.join(PROJECT).join(FOLDER), SettingsOwner::Project { root }));
    }
    agents
}

/// Returns all sub-agents of a run, which write to these journals.
pub(crate) fn all(
    defined: &[AgentDefinition],
    journals: impl Journals + 'static,
    models: Option<OneClient>,
) -> SubAgents {
    let mut agents = SubAgents::new(journals);
    for definition in defined {
        agents = match agents.clone().with_agent(definition.clone()) {
            Ok(more) => more,
            Err(error) => {
                output::note(&format!("warning: an agent is left out: {error}"));
                agents
            }
        };
    }
    let agents = agents.with_builtin();
    match models {
        Some(models) => agents.with_models(models),
        None => agents,
    }
}

/// Reads the Markdown files of a folder, sorted by name. Skips an invalid file with a warning.
fn read(folder: &Path, owner: SettingsOwner<'_>) -> Vec<AgentDefinition> {
    let files = settings_files(folder, owner, "md").unwrap_or_else(|error| {
        output::note(&format!(
            "warning: {} cannot be read: {error}; its agents are left out",
            folder.display()
        ));
        None
    });
    let parse = |file: &Path| {
        let text = read_settings(file, owner).context("it cannot be read")?.context("it is not there")?;
        Ok::<_, anyhow::Error>(AgentDefinition::parse(&text)?)
    };
    let told = |file: &std::path::PathBuf| {
        let told = parse(file);
        if let Err(error) = &told {
            output::note(&format!(
                "warning: the agent {} is left out: {}",
                file.display(),
                complaint::one_line(error)
            ));
        }
        told.ok()
    };
    files.unwrap_or_default().iter().filter_map(told).collect()
}

/// Model source that uses the run's own provider for every model name.
pub(crate) struct OneClient {
    pub(crate) client: Arc<dyn Model>,
    /// Prices of the run's own model, used for every model because no others are known.
    pub(crate) prices: Prices,
}

impl ModelSource for OneClient {
    fn model(&self, name: &str) -> Option<SourcedModel> {
        Some(SourcedModel::new(Arc::clone(&self.client), name).with_prices(self.prices))
    }
}
