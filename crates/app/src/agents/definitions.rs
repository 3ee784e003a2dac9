//! Sub-agents that a run can start: the built-in ones, the user's, and the project's if their feature is
//! enabled.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_journal::Journals;
use windlass_sandbox::{SettingsOwner, read_settings, settings_files};
use windlass_subagent::{AgentDefinition, ModelSource, SourcedModel, SubAgents};

use super::{PROJECT_AGENTS_FEATURE, RunModel};
use crate::app::App;
use crate::config::ToolSelection;
use crate::error::{AppError, Context as _, one_line};

/// Folder of Markdown files, in the user's folder of settings and in a project's.
const FOLDER: &str = "agents";
const PROJECT: &str = ".windlass";

/// Loads the sub-agents of the user, then those of the project. The first one of a name has precedence.
pub(crate) fn load_agents(app: &App, root: &Path, offering: &ToolSelection) -> Vec<AgentDefinition> {
    let users = app.settings_file(FOLDER);
    let mut agents = users.map(|folder| read_folder(app, &folder, SettingsOwner::User)).unwrap_or_default();
    if offering.has_feature(PROJECT_AGENTS_FEATURE) {
        agents.extend(read_folder(app, &root.join(PROJECT).join(FOLDER), SettingsOwner::Project { root }));
    }
    agents
}

/// A sub-agent that a run in a folder can start, with its source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedAgent {
    /// The definition.
    pub definition: AgentDefinition,
    /// The source of the definition.
    pub source: AgentOrigin,
}

/// The source of the definition of a sub-agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentOrigin {
    /// The program.
    BuiltIn,
    /// The user's folder of settings.
    User,
    /// The project. It counts only in runs with the feature `project_agents`.
    Project,
}

/// Lists the sub-agents that a run in a folder can start, in the order of their precedence: the user's, the project's and
/// the built-in ones. The first one of a name counts. An invalid file is a warning.
pub fn list_agents(app: &App, root: &Path) -> Vec<ListedAgent> {
    let users = app.settings_file(FOLDER);
    let users = users.map(|folder| read_folder(app, &folder, SettingsOwner::User)).unwrap_or_default();
    let projects = read_folder(app, &root.join(PROJECT).join(FOLDER), SettingsOwner::Project { root });
    let mut agents: Vec<ListedAgent> = Vec::new();
    for (source, definitions) in [
        (AgentOrigin::User, users),
        (AgentOrigin::Project, projects),
        (AgentOrigin::BuiltIn, windlass_subagent::builtin_agents()),
    ] {
        for definition in definitions {
            if !agents.iter().any(|agent| agent.definition.name() == definition.name()) {
                agents.push(ListedAgent { definition, source });
            }
        }
    }
    agents
}

/// Builds all sub-agents of a run, which write to these journals.
pub(crate) fn build_agents(
    app: &App,
    defined: &[AgentDefinition],
    journals: impl Journals + 'static,
    model: RunModel,
) -> SubAgents {
    let mut agents = SubAgents::new(journals);
    for definition in defined {
        agents = match agents.clone().with_agent(definition.clone()) {
            Ok(more) => more,
            Err(error) => {
                app.warn(format!("an agent is left out: {error}"));
                agents
            }
        };
    }
    agents.with_builtin().with_models(model)
}

/// Reads the Markdown files of a folder, sorted by name. Skips an invalid file with a warning.
fn read_folder(app: &App, folder: &Path, owner: SettingsOwner<'_>) -> Vec<AgentDefinition> {
    let files = settings_files(folder, owner, "md").unwrap_or_else(|error| {
        app.warn(format!("{} cannot be read: {error}; its agents are left out", folder.display()));
        None
    });
    let parse = |file: &Path| {
        let text = read_settings(file, owner).context("it cannot be read")?.context("it does not exist")?;
        Ok::<_, AppError>(AgentDefinition::parse(&text)?)
    };
    let parse_or_warn = |file: &PathBuf| {
        let agent = parse(file);
        if let Err(error) = &agent {
            app.warn(format!("the agent {} is left out: {}", file.display(), one_line(error)));
        }
        agent.ok()
    };
    files.unwrap_or_default().iter().filter_map(parse_or_warn).collect()
}

impl ModelSource for RunModel {
    fn model(&self, name: &str) -> Option<SourcedModel> {
        Some(SourcedModel::new(Arc::clone(&self.client), name).with_prices(self.prices))
    }
}
