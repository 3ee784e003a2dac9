//! What every command that touches tools needs: the workspace and the toolbox.

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

/// The folder, as an absolute path without links.
pub(crate) fn root(folder: &Path) -> anyhow::Result<PathBuf> {
    folder.canonicalize().with_context(|| format!("the root {} cannot be opened", folder.display()))
}

/// A policy file that the command line names, as an absolute path without links.
pub(crate) fn policy_file(file: &Path) -> anyhow::Result<PathBuf> {
    file.canonicalize().with_context(|| format!("the policy file {} cannot be opened", file.display()))
}

/// What is to be offered to whom.
#[derive(Clone, Copy)]
pub(crate) struct Offered<'a> {
    pub(crate) preset: PresetName,
    pub(crate) offering: &'a Offering,
    /// The provider's name of the model, where it is known.
    pub(crate) model: Option<&'a str>,
    /// The MCP servers whose tools are offered too.
    pub(crate) servers: Option<&'a Connected>,
}

/// All tools over one workspace, offered as the preset says.
pub(crate) fn toolbox(
    root: &Path,
    outputs: Option<&Path>,
    preset: PresetName,
    shell: &Shell,
) -> anyhow::Result<Toolbox> {
    let offered = Offered { preset, offering: &Offering::default(), model: None, servers: None };
    toolbox_on(&Tape::none(), root, outputs, offered, shell)
}

/// All tools over one workspace, offered as is said, for a run that may be recorded or played. It is in no mode yet, and
/// no process was started.
pub(crate) fn toolbox_on(
    tape: &Tape,
    root: &Path,
    outputs: Option<&Path>,
    offered: Offered<'_>,
    shell: &Shell,
) -> anyhow::Result<Toolbox> {
    Ok(prepare(tape, root, outputs, offered, shell)?.toolbox)
}

/// The folder for tools. One that cannot be written is opened for reading only, and that is noted: looking at somebody
/// else's files needs no right to change them.
fn workspace(root: &Path) -> anyhow::Result<Workspace> {
    match Workspace::open(root) {
        Err(WorkspaceError::Unwritable { path, source }) => {
            output::note(&format!(
                "the folder {} cannot be written ({source}): it is opened for reading only",
                path.display()
            ));
            Ok(Workspace::open_for(root, Access::ReadOnly)?)
        }
        opened => Ok(opened?),
    }
}

/// Tools over one workspace, and the processes that may bring more.
pub(crate) struct Prepared {
    pub(crate) toolbox: Toolbox,
    dynamic: DynamicTools,
    processes: Vec<ToolProcess>,
}

impl Prepared {
    /// Adds tools that give work on. They are in no recording, because what they have done is: a replay runs them, and
    /// the calls inside are given from it.
    pub(crate) fn add(&mut self, tools: Vec<Arc<dyn Tool>>) {
        for tool in tools {
            let name = tool.spec().name().clone();
            if let Err(error) = self.dynamic.add(tool) {
                output::note(&format!("warning: the tool {name} is left out: {error}"));
            }
        }
        self.toolbox = self.toolbox.refreshed();
    }

    /// Starts the processes, and gives the tools with theirs. They end with the runtime.
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
        self.toolbox.refreshed()
    }
}

/// The same tools, with the processes that are still to be started.
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
    // Without a mode to begin in a run has none to change into either, and is as it always was.
    let modes = if offered.offering.mode.is_some() { modes::load(root)? } else { WorkModes::default() };
    let all = own_tools::all(root, &workspace, shell, offered, modes.clone())?;
    let mut builder = Toolbox::builder()
        .tools(all.into_iter().map(|tool| tape.tool(tool)))
        .known_aliases()
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
    Ok(Prepared { toolbox: toolbox.refreshed(), dynamic, processes })
}

/// Tools, and processes that bring more.
type OfFolders = (Vec<Arc<dyn Tool>>, Vec<ToolProcess>);

/// The tools of the user's files, and of the project's where the feature for that is on: what they say may be a
/// stranger's, and the model reads it.
fn of_folders(
    root: &Path,
    offered: Offered<'_>,
    workspace: &Arc<Workspace>,
    shell: &Shell,
) -> anyhow::Result<OfFolders> {
    let users = policies::settings().map(|folder| (folder.join(USER_TOOLS), FolderOwner::User));
    let has_feature = offered.offering.has_feature(PROJECT_TOOLS_FEATURE);
    let projects = has_feature.then(|| (root.join(PROJECT_TOOLS), FolderOwner::Project));
    // A project's process would run what a stranger wrote, before any call: that is said apart.
    let may_start = |process: &ToolProcess| {
        process.owner() == FolderOwner::User || offered.offering.has_feature(PROJECT_PROCESSES_FEATURE)
    };
    let (mut tools, mut processes) = (Vec::new(), Vec::new());
    let is_there = |(folder, owner): &(PathBuf, FolderOwner)| match owner {
        // A link is refused where it is read, with words.
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

/// Folders of files that are tools: in the user's folder of settings, and in a project.
const USER_TOOLS: &str = "tools";
const PROJECT_TOOLS: &str = ".windlass/tools";
/// The feature by which a project's are taken.
const PROJECT_TOOLS_FEATURE: &str = "project_tools";
/// The feature by which its processes are started, too.
const PROJECT_PROCESSES_FEATURE: &str = "project_processes";

/// The user's own file, with what the command line says on top.
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
    config = offering.tools.iter().fold(config, ToolConfig::with);
    config = offering.disabled.iter().fold(config, ToolConfig::without);
    check_features(&offering.features, &config)?;
    Ok(offering.features.iter().fold(config, ToolConfig::with_feature))
}

/// Refuses a feature that nothing waits for: a typing error would switch nothing on, in silence.
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

/// Features of this program and of the tools that it has, besides those of the user's `gates`.
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

/// Which tools the user wants in every run, in the folder of settings: `additional`, `disabled`, `features`, `rename`,
/// `[[model]]`. The preset is said on the command line.
const USER_CONFIG: &str = "toolbox.toml";
