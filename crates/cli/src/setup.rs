//! The workspace and the toolbox, for every command that uses tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use windlass_sandbox::{Access, SettingsOwner, Workspace, WorkspaceError, read_settings};
use windlass_tool::Tool;
use windlass_toolbox::{DynamicTools, Preset, ToolConfig, Toolbox, WorkModes};
use windlass_tools_dynamic::{FolderOwner, ToolProcess};
use windlass_tools_shell::Shell;

use crate::arguments::{Offering, PresetName};
use crate::mcp::Connected;
use crate::own::Own;
use crate::tape::Tape;
use crate::{agents, complaint, modes, output, own_tools, policies, workflow};

impl PresetName {
    fn preset(self) -> Preset {
        match self {
            Self::Minimal => Preset::Minimal,
            Self::Standard => Preset::Standard,
            Self::Full => Preset::Full,
        }
    }
}

/// Returns the root folder as an absolute path without links.
pub(crate) fn root(folder: &Path) -> anyhow::Result<PathBuf> {
    folder.canonicalize().with_context(|| format!("the root {} cannot be opened", folder.display()))
}

/// Returns the path of a policy file as an absolute path without links.
pub(crate) fn policy_file(file: &Path) -> anyhow::Result<PathBuf> {
    file.canonicalize().with_context(|| format!("the policy file {} cannot be opened", file.display()))
}

/// The selection of tools: preset, options, model and MCP servers.
#[derive(Clone, Copy)]
pub(crate) struct Offered<'a> {
    pub(crate) preset: PresetName,
    pub(crate) offering: &'a Offering,
    /// The provider's name of the model, if it is known.
    pub(crate) model: Option<&'a str>,
    /// MCP servers whose tools are offered.
    pub(crate) servers: Option<&'a Connected>,
}

/// Builds the toolbox of a workspace with the tools of a preset, without MCP servers and without a recording.
pub(crate) fn toolbox(
    root: &Path,
    outputs: Option<&Path>,
    preset: PresetName,
    shell: &Shell,
) -> anyhow::Result<Toolbox> {
    let offered = Offered { preset, offering: &Offering::default(), model: None, servers: None };
    toolbox_on(&Tape::none(), root, outputs, offered, shell)
}

/// Builds the toolbox of a workspace for a run that may be recorded or replayed. Selects no mode of work and
/// starts no process.
pub(crate) fn toolbox_on(
    tape: &Tape,
    root: &Path,
    outputs: Option<&Path>,
    offered: Offered<'_>,
    shell: &Shell,
) -> anyhow::Result<Toolbox> {
    Ok(prepare(tape, root, outputs, offered, shell)?.toolbox)
}

/// Opens the workspace. Falls back to read-only access, with a note, if the folder is not writable: reading
/// other people's files needs no write access.
fn workspace(root: &Path) -> anyhow::Result<Workspace> {
    match Workspace::open(root) {
        Err(WorkspaceError::Unwritable { path, source }) => {
            output::note(&format!(
                "warning: the folder {} cannot be written ({source}): it is opened for reading only",
                path.display()
            ));
            Ok(Workspace::open_for(root, Access::ReadOnly)?)
        }
        opened => Ok(opened?),
    }
}

/// The tools of one workspace, with processes that provide more tools and have not been started.
pub(crate) struct Prepared {
    pub(crate) toolbox: Toolbox,
    dynamic: DynamicTools,
    processes: Vec<ToolProcess>,
}

impl Prepared {
    /// Adds tools that start sub-agents or workflows. They are not recorded themselves: a replay runs them,
    /// and takes the results of their inner calls from the recording.
    pub(crate) fn add(&mut self, tools: Vec<Arc<dyn Tool>>) {
        for tool in tools {
            let name = tool.spec().name().clone();
            if let Err(error) = self.dynamic.add(tool) {
                output::note(&format!("warning: the tool {name} is left out: {error}"));
            }
        }
        self.toolbox = self.toolbox.refresh();
    }

    /// Starts the processes and returns the toolbox with their tools. The processes end with the runtime.
    pub(crate) async fn served(self, tape: &Tape) -> Toolbox {
        for process in self.processes {
            let (name, tape) = (process.name().to_owned(), tape.clone());
            match process.with_each(move |tool| tape.tool(tool)).serve(&self.dynamic).await {
                Ok(served) => {
                    for left_out in &served.first().left_out {
                        output::note(&format!("warning: a tool of {name} is left out: {left_out}"));
                    }
                    served.keep();
                }
                Err(error) => {
                    output::note(&format!("warning: the tools of {name} are left out: {error}"));
                }
            }
        }
        self.toolbox.refresh()
    }
}

/// Like `toolbox_on`, but also returns the processes that must still be started.
pub(crate) fn prepare(
    tape: &Tape,
    root: &Path,
    outputs: Option<&Path>,
    offered: Offered<'_>,
    shell: &Shell,
) -> anyhow::Result<Prepared> {
    Own::of(None).refuse_root(root)?;
    let mut workspace = workspace(root)?;
    if let Some(outputs) = outputs {
        workspace = workspace.with_outputs(outputs);
    }
    let workspace = Arc::new(workspace);
    // Without `--mode` a run has no modes of work, so its model cannot switch to one.
    let modes = if offered.offering.mode.is_some() { modes::load(root)? } else { WorkModes::default() };
    let all = own_tools::all(root, &workspace, shell, offered, modes.clone())?;
    let mut builder = Toolbox::builder()
        .tools(all.into_iter().map(|tool| tape.tool(tool)))
        .with_known_aliases()
        .modes(modes)
        .config(config(offered)?);
    if let Some(model) = offered.model {
        builder = builder.model(model);
    }
    let dynamic = offered.servers.map_or_else(DynamicTools::default, |servers| servers.dynamic().clone());
    let toolbox = builder.dynamic(dynamic.clone()).build()?;
    let (tools, processes) = of_folders(root, offered, &workspace, shell)?;
    for tool in tools {
        let name = tool.spec().name().clone();
        if let Err(error) = dynamic.add(tape.tool(tool)) {
            output::note(&format!("warning: the tool {name} of a file is left out: {error}"));
        }
    }
    Ok(Prepared { toolbox: toolbox.refresh(), dynamic, processes })
}

/// Tools from files, with processes that provide more tools.
type OfFolders = (Vec<Arc<dyn Tool>>, Vec<ToolProcess>);

/// Loads the tools of the user's folder, and those of the project's folder if its feature is enabled: the
/// model reads descriptions that a stranger may have written.
fn of_folders(
    root: &Path,
    offered: Offered<'_>,
    workspace: &Arc<Workspace>,
    shell: &Shell,
) -> anyhow::Result<OfFolders> {
    let users = policies::settings().map(|folder| (folder.join(USER_TOOLS), FolderOwner::User));
    let has_feature = offered.offering.has_feature(PROJECT_TOOLS_FEATURE);
    let projects = has_feature.then(|| (root.join(PROJECT_TOOLS), FolderOwner::Project));
    // A project's process executes a stranger's code before any call, so it needs a feature of its own.
    let may_start = |process: &ToolProcess| {
        process.owner() == FolderOwner::User || offered.offering.has_feature(PROJECT_PROCESSES_FEATURE)
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
                let why = complaint::one_line(&error.into());
                output::note(&format!("warning: {why}; the project's tools are left out"));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        for refused in loaded.problems {
            output::note(&format!("warning: {}", complaint::one_line(&refused.into())));
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

/// Returns the user's configuration of tools, overridden by the options of the command line.
fn config(offered: Offered<'_>) -> anyhow::Result<ToolConfig> {
    let mut config = ToolConfig::default();
    if let Some(file) = policies::settings().map(|folder| folder.join(USER_CONFIG)) {
        let refused = || format!("{} is refused", file.display());
        if let Some(text) = read_settings(&file, SettingsOwner::User).with_context(refused)? {
            config = toml::from_str(&text).with_context(refused)?;
        }
    }
    config.preset = offered.preset.preset();
    let offering = offered.offering;
    config = offering.tools.iter().fold(config, ToolConfig::with_tool);
    config = offering.disabled.iter().fold(config, ToolConfig::remove_tool);
    check_features(&offering.features, &config)?;
    Ok(offering.features.iter().fold(config, ToolConfig::with_feature))
}

/// Fails for an unknown feature: otherwise a typing error would silently enable nothing.
fn check_features(wanted: &[String], config: &ToolConfig) -> anyhow::Result<()> {
    let mut known: Vec<&str> = config.gates.values().map(String::as_str).chain(OWN_FEATURES).collect();
    known.sort_unstable();
    known.dedup();
    for feature in wanted {
        anyhow::ensure!(
            known.contains(&feature.as_str()),
            "there is no feature {feature:?}; there are: {}",
            known.join(", ")
        );
    }
    Ok(())
}

/// Features of this program and of its tools; the user's `gates` can define more.
const OWN_FEATURES: [&str; 9] = [
    "image_generation",
    "slash_commands",
    PROJECT_TOOLS_FEATURE,
    PROJECT_PROCESSES_FEATURE,
    own_tools::PROJECT_SKILLS_FEATURE,
    agents::FEATURE,
    agents::PROJECT_FEATURE,
    workflow::PROJECT_FEATURE,
    workflow::BUILTIN_FEATURE,
];

/// The user's configuration of tools for every run, in the folder of settings. Its keys are `additional`,
/// `disabled`, `features`, `rename` and `[[model]]`. The command line selects the preset.
const USER_CONFIG: &str = "toolbox.toml";
