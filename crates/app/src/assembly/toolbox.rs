//! The workspace and the toolbox, for every command that uses tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_sandbox::{Access, EditorFiles, SettingsOwner, Workspace, WorkspaceError, read_settings};
use windlass_tool::Tool;
use windlass_toolbox::{DynamicTools, ToolConfig, Toolbox, WorkModes};
use windlass_tools_dynamic::{FolderOwner, ToolProcess};
use windlass_tools_shell::Shell;

use super::{builtin_tools, load_modes};
use crate::agents::{AGENTS_FEATURE, PROJECT_AGENTS_FEATURE, PROJECT_WORKFLOWS_FEATURE, WORKFLOWS_FEATURE};
use crate::app::App;
use crate::config::{ToolPreset, ToolSelection};
use crate::error::{Context as _, Result, ensure, one_line};
use crate::policies::ProtectedPaths;
use crate::runs::Recording;

/// The plan of a toolbox: preset, selection, model, and the folder for long outputs.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ToolPlan<'a> {
    /// Tools that are offered by default.
    pub preset: ToolPreset,
    /// Tools and features besides the preset.
    pub selection: &'a ToolSelection,
    /// The provider's name of the model, if it is known.
    pub model: Option<&'a str>,
    /// Folder for outputs that are too long for the model.
    pub outputs: Option<&'a Path>,
    /// MCP servers whose tools are offered.
    pub(crate) servers: Option<&'a OfferedServers>,
    /// The editor that has files of the workspace open.
    pub(crate) editor: Option<&'a Arc<dyn EditorFiles>>,
}

/// MCP servers whose tools are offered.
#[derive(Clone)]
pub(crate) struct OfferedServers {
    /// The tools of all servers, which change when a server's list changes.
    pub(crate) dynamic: DynamicTools,
    /// The tools that call a server by its name. None if no server is connected.
    pub(crate) proxies: Vec<Arc<dyn Tool>>,
}

impl<'a> ToolPlan<'a> {
    /// Creates a plan without a model, a folder for outputs and MCP servers.
    pub fn new(preset: ToolPreset, selection: &'a ToolSelection) -> Self {
        Self { preset, selection, model: None, outputs: None, servers: None, editor: None }
    }

    /// Sets the folder for outputs that are too long for the model.
    pub fn with_outputs(self, outputs: &'a Path) -> Self {
        Self { outputs: Some(outputs), ..self }
    }

    /// Sets the provider's name of the model, which decides about the tools of some models.
    pub fn with_model(self, model: Option<&'a str>) -> Self {
        Self { model, ..self }
    }
}

/// Builds the toolbox of a workspace without MCP servers. Selects no mode of work and starts no process.
///
/// # Errors
///
/// Fails if the workspace cannot be opened, or if a file of the user is invalid.
pub fn build_toolbox(app: &App, root: &Path, plan: ToolPlan<'_>, shell: &Shell) -> Result<Toolbox> {
    Ok(prepare_tools(app, &Recording::none(), root, plan, shell)?.toolbox)
}

/// Opens the workspace. Falls back to read-only access, with a note, if the folder is not writable: reading
/// other people's files needs no write access.
fn open_workspace(app: &App, root: &Path) -> Result<Workspace> {
    match Workspace::open(root) {
        Err(WorkspaceError::Unwritable { path, source }) => {
            app.warn(format!(
                "the folder {} cannot be written ({source}): it is opened for reading only",
                path.display()
            ));
            Ok(Workspace::open_for(root, Access::ReadOnly)?)
        }
        opened => Ok(opened?),
    }
}

/// The tools of one workspace, with processes that provide more tools and have not been started.
pub struct PreparedTools {
    /// The tools that need no process.
    pub toolbox: Toolbox,
    app: App,
    recording: Recording,
    dynamic: DynamicTools,
    processes: Vec<ToolProcess>,
}

impl PreparedTools {
    /// Adds tools that start sub-agents or workflows. They are not recorded themselves: a replay runs them,
    /// and takes the results of their inner calls from the recording.
    pub(crate) fn add(&mut self, tools: Vec<Arc<dyn Tool>>) {
        for tool in tools {
            let name = tool.spec().name().clone();
            if let Err(error) = self.dynamic.add(tool) {
                self.app.warn(format!("the tool {name} is left out: {error}"));
            }
        }
        self.toolbox = self.toolbox.refresh();
    }

    /// Starts the processes and returns the toolbox with their tools. The processes end with the runtime.
    pub async fn start_processes(self) -> Toolbox {
        for process in self.processes {
            let (name, recording) = (process.name().to_owned(), self.recording.clone());
            match process.with_each(move |tool| recording.tool(tool)).serve(&self.dynamic).await {
                Ok(served) => {
                    for left_out in &served.first().left_out {
                        self.app.warn(format!("a tool of {name} is left out: {left_out}"));
                    }
                    served.keep();
                }
                Err(error) => self.app.warn(format!("the tools of {name} are left out: {error}")),
            }
        }
        self.toolbox.refresh()
    }
}

/// Builds the tools of a workspace for a run that may be recorded or replayed. Selects no mode of work and
/// starts no process.
///
/// # Errors
///
/// Fails if the workspace cannot be opened, or if a file of the user is invalid.
pub fn prepare_tools(
    app: &App,
    recording: &Recording,
    root: &Path,
    plan: ToolPlan<'_>,
    shell: &Shell,
) -> Result<PreparedTools> {
    ProtectedPaths::new(app, None).refuse_root(root)?;
    let mut workspace = open_workspace(app, root)?;
    if let Some(outputs) = plan.outputs {
        workspace = workspace.with_outputs(outputs);
    }
    if let Some(editor) = plan.editor {
        workspace = workspace.with_editor(Arc::clone(editor));
    }
    let workspace = Arc::new(workspace);
    // A run without a mode lacks work modes, so its model cannot switch to one.
    let modes = if plan.selection.mode.is_some() { load_modes(app, root)? } else { WorkModes::default() };
    let all = builtin_tools::build(app, (root, &workspace, shell), plan, modes.clone())?;
    // The tools that call a server by its name are not recorded themselves: a replay runs them, and takes the results
    // of the servers' tools that they call from the recording.
    let proxies = plan.servers.map(|servers| servers.proxies.clone()).unwrap_or_default();
    let mut builder = Toolbox::builder()
        .tools(all.into_iter().map(|tool| recording.tool(tool)).chain(proxies))
        .with_known_aliases()
        .modes(modes)
        .config(load_config(app, plan)?);
    if let Some(model) = plan.model {
        builder = builder.model(model);
    }
    let dynamic = plan.servers.map_or_else(DynamicTools::default, |servers| servers.dynamic.clone());
    let toolbox = builder.dynamic(dynamic.clone()).build()?;
    let (tools, processes) = load_tool_files(app, root, plan.selection, &workspace, shell)?;
    for tool in tools {
        let name = tool.spec().name().clone();
        if let Err(error) = dynamic.add(recording.tool(tool)) {
            app.warn(format!("the tool {name} of a file is left out: {error}"));
        }
    }
    Ok(PreparedTools {
        toolbox: toolbox.refresh(),
        app: app.clone(),
        recording: recording.clone(),
        dynamic,
        processes,
    })
}

/// Tools from files, with processes that provide more tools.
type LoadedTools = (Vec<Arc<dyn Tool>>, Vec<ToolProcess>);

/// Loads the tools of the user's folder, and those of the project's folder if its feature is enabled: the
/// model reads descriptions that a stranger may have written.
fn load_tool_files(
    app: &App,
    root: &Path,
    selection: &ToolSelection,
    workspace: &Arc<Workspace>,
    shell: &Shell,
) -> Result<LoadedTools> {
    let users = app.settings_file(USER_TOOLS).map(|folder| (folder, FolderOwner::User));
    let has_feature = selection.has_feature(PROJECT_TOOLS_FEATURE);
    let projects = has_feature.then(|| (root.join(PROJECT_TOOLS), FolderOwner::Project));
    // A project's process executes a stranger's code before any call, so it needs a feature of its own.
    let may_start = |process: &ToolProcess| {
        process.owner() == FolderOwner::User || selection.has_feature(PROJECT_PROCESSES_FEATURE)
    };
    let (mut tools, mut processes) = (Vec::new(), Vec::new());
    let is_there = |(folder, owner): &(PathBuf, FolderOwner)| match owner {
        // `load` refuses a linked folder and reports it, so do not follow the link here.
        FolderOwner::Project => folder.symlink_metadata().is_ok(),
        _ => folder.is_dir(),
    };
    for (folder, owner) in users.into_iter().chain(projects).filter(is_there) {
        let loaded = match windlass_tools_dynamic::load(&folder, owner, workspace, shell) {
            Ok(loaded) => loaded,
            Err(error) if owner == FolderOwner::Project => {
                app.warn(format!("{}; the project's tools are left out", one_line(&error)));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        for refused in loaded.problems {
            app.warn(one_line(&refused));
        }
        tools.extend(loaded.tools);
        processes.extend(loaded.processes.into_iter().filter(may_start));
    }
    Ok((tools, processes))
}

/// Folders of tool files: one in the user's folder of settings, one in a project.
const USER_TOOLS: &str = "tools";
const PROJECT_TOOLS: &str = ".windlass/tools";
/// Feature that enables the tool files of a project.
const PROJECT_TOOLS_FEATURE: &str = "project_tools";
/// Feature that also enables the tool processes of a project.
const PROJECT_PROCESSES_FEATURE: &str = "project_processes";

/// Loads the user's configuration of tools, overridden by the plan.
fn load_config(app: &App, plan: ToolPlan<'_>) -> Result<ToolConfig> {
    let mut config = ToolConfig::default();
    if let Some(file) = app.settings_file(USER_CONFIG) {
        let refused = || format!("{} is refused", file.display());
        if let Some(text) = read_settings(&file, SettingsOwner::User).with_context(refused)? {
            config = toml::from_str(&text).with_context(refused)?;
        }
    }
    config.preset = plan.preset.preset();
    let selection = plan.selection;
    config = selection.tools.iter().fold(config, ToolConfig::with_tool);
    config = selection.disabled.iter().fold(config, ToolConfig::remove_tool);
    check_features(&selection.features, &config)?;
    Ok(selection.features.iter().fold(config, ToolConfig::with_feature))
}

/// Fails for an unknown feature: otherwise a typing error would silently enable nothing.
fn check_features(wanted: &[String], config: &ToolConfig) -> Result<()> {
    let mut known: Vec<&str> = config.gates.values().map(String::as_str).chain(OWN_FEATURES).collect();
    known.sort_unstable();
    known.dedup();
    for feature in wanted {
        ensure!(
            known.contains(&feature.as_str()),
            Invalid,
            "unknown feature {feature:?}; known features: {}",
            known.join(", ")
        );
        let needed = missing_feature(feature);
        ensure!(
            needed.is_none(),
            MissingFeature,
            "the feature {feature:?} needs a build with the cargo feature `{}`",
            needed.unwrap_or_default()
        );
    }
    Ok(())
}

/// Returns the cargo feature that a feature of a run needs and this build lacks.
fn missing_feature(feature: &str) -> Option<&'static str> {
    let (needed, is_built) = match feature {
        AGENTS_FEATURE | PROJECT_AGENTS_FEATURE => ("subagent", cfg!(feature = "subagent")),
        PROJECT_WORKFLOWS_FEATURE | WORKFLOWS_FEATURE => ("workflow", cfg!(feature = "workflow")),
        _ => return None,
    };
    (!is_built).then_some(needed)
}

/// Features of this program and of its tools; the user's `gates` can define more.
const OWN_FEATURES: [&str; 9] = [
    "image_generation",
    "slash_commands",
    PROJECT_TOOLS_FEATURE,
    PROJECT_PROCESSES_FEATURE,
    builtin_tools::PROJECT_SKILLS_FEATURE,
    AGENTS_FEATURE,
    PROJECT_AGENTS_FEATURE,
    PROJECT_WORKFLOWS_FEATURE,
    WORKFLOWS_FEATURE,
];

/// The user's configuration of tools for every run, in the folder of settings. Its keys are `additional`,
/// `disabled`, `features`, `rename` and `[[model]]`. The command line selects the preset.
const USER_CONFIG: &str = "toolbox.toml";

impl std::fmt::Debug for ToolPlan<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolPlan")
            .field("preset", &self.preset)
            .field("selection", &self.selection)
            .field("model", &self.model)
            .field("outputs", &self.outputs)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for PreparedTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PreparedTools")
            .field("toolbox", &self.toolbox)
            .field("processes", &self.processes.len())
            .finish_non_exhaustive()
    }
}
