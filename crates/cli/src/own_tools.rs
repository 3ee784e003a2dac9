//! The built-in tools of a workspace, with their settings.

use std::path::Path;
use std::sync::Arc;

use windlass_sandbox::Workspace;
use windlass_tool::Tool;
use windlass_toolbox::WorkModes;
use windlass_tools_control::ControlResources;
use windlass_tools_index::{CodebaseSearch, EmbeddingLimits};
use windlass_tools_shell::Shell;
use windlass_tools_skills::{LeftOut, Skills, SlashCommands};
use windlass_tools_web::{Fetch, ImageProvider, ServiceKey, Tavily};

use crate::arguments::Offering;
use crate::setup::Offered;
use crate::{output, policies, runs};

/// Folders of Markdown files, in the user's folder of settings and in a project.
const SKILLS: &str = "skills";
const COMMANDS: &str = "commands";
const PROJECT: &str = ".windlass";
/// Feature that loads a project's skills. Their descriptions reach the model at the start of each run.
pub(crate) const PROJECT_SKILLS_FEATURE: &str = "project_skills";

/// Folder of the code index, in the state folder.
const INDEX: &str = "index";

/// Image service: its address, its model, and the variable with its key.
const IMAGES: (&str, &str, &str) = ("https://api.openai.com/v1", "gpt-image-1", "OPENAI_API_KEY");
/// Variables with the search service's key and with an alternative address.
const SEARCH_KEY: &str = "TAVILY_API_KEY";
const SEARCH_URL: &str = "TAVILY_BASE_URL";

/// Returns all built-in tools, in the order in which the model sees them.
pub(crate) fn all(
    root: &Path,
    workspace: &Arc<Workspace>,
    shell: &Shell,
    offered: Offered<'_>,
    modes: WorkModes,
) -> anyhow::Result<Vec<Arc<dyn Tool>>> {
    let offering = offered.offering;
    let mut tools = windlass_tools_fs::tools(workspace);
    tools.extend(windlass_tools_edit::tools(workspace));
    tools.extend(windlass_tools_search::tools(workspace));
    tools.extend(of_index(root, workspace, offering)?);
    tools.extend(windlass_tools_shell::tools_with(workspace, shell));
    tools.extend(of_web(workspace)?);
    let browser = windlass_tools_browser::tools();
    if !browser.is_empty() {
        windlass_tools_browser::remove_stale_profiles();
    }
    tools.extend(browser);
    let resources = ControlResources::default().with_modes(modes).with_workspace(workspace.clone());
    tools.extend(windlass_tools_control::tools_with(&resources));
    tools.extend(windlass_tools_skills::tools(&skills(root, offering), &commands(root)));
    if let Some(servers) = offered.servers {
        tools.extend(servers.connections.proxies());
    }
    Ok(tools)
}

/// Returns the tools of the code index. The ranked search needs a folder for the index outside of the root,
/// and is omitted without one.
fn of_index(
    root: &Path,
    workspace: &Arc<Workspace>,
    offering: &Offering,
) -> anyhow::Result<Vec<Arc<dyn Tool>>> {
    let embedder = offering.embeddings.embedder()?;
    let folder = runs::state().ok().map(|state| state.join(INDEX));
    let folder = folder.filter(|folder| folder.is_absolute() && !folder.starts_with(root));
    let Some(folder) = folder else { return Ok(windlass_tools_index::tools(workspace)) };
    let mut search = CodebaseSearch::new(workspace.clone(), folder)?;
    if let Some(embedder) = embedder {
        search = search.with_embedder(embedder, EmbeddingLimits::default());
    }
    Ok(windlass_tools_index::tools_with_search(workspace, search))
}

fn of_web(workspace: &Arc<Workspace>) -> anyhow::Result<Vec<Arc<dyn Tool>>> {
    let fetch = Arc::new(Fetch::new());
    let key = |name| ServiceKey::from_variable(std::env::var(name).ok(), name);
    let mut search = Tavily::new(fetch.clone(), key(SEARCH_KEY));
    if let Ok(base) = std::env::var(SEARCH_URL) {
        let refused = |error| anyhow::anyhow!("{SEARCH_URL} is no address of a search service: {error}");
        search = search.with_base(&base).map_err(refused)?;
    }
    let (base, model, variable) = IMAGES;
    let images = ImageProvider::new(fetch.clone(), base, model, key(variable))?;
    let mut tools = windlass_tools_web::tools(&fetch);
    tools.extend(windlass_tools_web::search_tools(&search));
    tools.extend(windlass_tools_web::image_tools(workspace, &images));
    Ok(tools)
}

/// Returns the skills of the user, then those of the project. The first one of a name has precedence.
fn skills(root: &Path, offering: &Offering) -> Skills {
    let mut skills = Skills::default();
    if let Some(folder) = policies::settings() {
        skills = skills.with_folder("user", folder.join(SKILLS));
    }
    if offering.has_feature(PROJECT_SKILLS_FEATURE) {
        skills = skills.with_project_folder("project", root, root.join(PROJECT).join(SKILLS));
    }
    tell(skills.left_out());
    skills
}

fn commands(root: &Path) -> SlashCommands {
    let mut commands = SlashCommands::default();
    if let Some(folder) = policies::settings() {
        commands = commands.with_folder("user", folder.join(COMMANDS));
    }
    commands = commands.with_project_folder("project", root, root.join(PROJECT).join(COMMANDS));
    tell(commands.left_out());
    commands
}

fn tell(left_out: &[LeftOut]) {
    for left_out in left_out {
        output::note(&format!("warning: {left_out}"));
    }
}
