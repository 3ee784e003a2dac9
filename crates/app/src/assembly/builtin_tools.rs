//! The built-in tools of a workspace, with their settings.

#[cfg(feature = "index")]
mod index;
#[cfg(feature = "web")]
mod web;

use std::path::Path;
use std::sync::Arc;

use windlass_sandbox::Workspace;
use windlass_tool::Tool;
use windlass_toolbox::WorkModes;
use windlass_tools_control::ControlResources;
use windlass_tools_shell::Shell;
use windlass_tools_skills::{Skills, SlashCommands};

use super::ToolPlan;
use crate::app::App;
use crate::config::ToolSelection;
use crate::error::Result;
use crate::trust::{SKILL_FOLDERS, TrustedFolders};

/// Folders of Markdown files, in the user's folder of settings and in a project.
const SKILLS: &str = "skills";
const COMMANDS: &str = "commands";
const PROJECT: &str = ".windlass";
/// Feature that loads a project's skills. Their descriptions reach the model at the start of each run.
pub(crate) const PROJECT_SKILLS_FEATURE: &str = "project_skills";

/// Builds all built-in tools, in the order in which the model sees them, without those that call an MCP server by
/// its name.
pub(crate) fn build(
    app: &App,
    (root, workspace, shell): (&Path, &Arc<Workspace>, &Shell),
    plan: ToolPlan<'_>,
    modes: WorkModes,
) -> Result<Vec<Arc<dyn Tool>>> {
    let selection = plan.selection;
    let mut tools = windlass_tools_fs::tools(workspace);
    tools.extend(windlass_tools_edit::tools(workspace));
    tools.extend(windlass_tools_search::tools(workspace));
    #[cfg(feature = "index")]
    tools.extend(index::build(app, root, workspace, selection)?);
    tools.extend(windlass_tools_shell::tools_with(workspace, shell));
    #[cfg(feature = "web")]
    tools.extend(web::build(workspace)?);
    #[cfg(feature = "browser")]
    tools.extend(build_browser_tools());
    let resources = ControlResources::default().with_modes(modes).with_workspace(workspace.clone());
    tools.extend(windlass_tools_control::tools_with(&resources));
    let (skills, commands) = (load_skills(app, root, selection), load_commands(app, root));
    for left_out in skills.left_out().iter().chain(commands.left_out()) {
        app.warn(left_out.to_string());
    }
    tools.extend(windlass_tools_skills::tools(&skills, &commands));
    Ok(tools)
}

#[cfg(feature = "browser")]
fn build_browser_tools() -> Vec<Arc<dyn Tool>> {
    let tools = windlass_tools_browser::tools();
    if !tools.is_empty() {
        windlass_tools_browser::remove_stale_profiles();
    }
    tools
}

/// Loads the skills of the user, then those of the project. The first one of a name has precedence.
pub(crate) fn load_skills(app: &App, root: &Path, selection: &ToolSelection) -> Skills {
    let mut skills = Skills::default();
    if let Some(folder) = app.settings_file(SKILLS) {
        skills = skills.with_folder("user", folder);
    }
    for (label, folder) in [("user (.agents)", ".agents/skills"), ("user (.claude)", ".claude/skills")] {
        let folder = app.home().map(|home| home.join(folder));
        // In a workspace that contains the folder, a run could have written it: trust decides there.
        if let Some(folder) = folder.filter(|folder| !folder.starts_with(root)) {
            skills = skills.with_folder(label, folder);
        }
    }
    // A feature of the run is a decision of the user, like trust in the folder.
    let is_trusted = || root.canonicalize().is_ok_and(|root| TrustedFolders::load(app).covers(&root));
    let has_folders = SKILL_FOLDERS.iter().any(|folder| root.join(folder).symlink_metadata().is_ok());
    if has_folders && (selection.has_feature(PROJECT_SKILLS_FEATURE) || is_trusted()) {
        for (label, folder) in
            ["project", "project (.agents)", "project (.claude)"].into_iter().zip(SKILL_FOLDERS)
        {
            skills = skills.with_project_folder(label, root, root.join(folder));
        }
    }
    skills
}

/// Loads the commands of the user, then those of the project. The first one of a name has precedence.
pub(crate) fn load_commands(app: &App, root: &Path) -> SlashCommands {
    let mut commands = SlashCommands::default();
    if let Some(folder) = app.settings_file(COMMANDS) {
        commands = commands.with_folder("user", folder);
    }
    commands.with_project_folder("project", root, root.join(PROJECT).join(COMMANDS))
}
