//! What every command that touches tools needs: the workspace and the toolbox.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use windlass_sandbox::Workspace;
use windlass_toolbox::{Preset, ToolConfig, Toolbox};
use windlass_tools_control::TodoList;
use windlass_tools_shell::Shell;

use crate::arguments::PresetName;
use crate::tape::Tape;

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

/// All tools over one workspace, offered as the preset says.
pub(crate) fn toolbox(
    root: &Path,
    outputs: Option<&Path>,
    preset: PresetName,
    shell: &Shell,
) -> anyhow::Result<Toolbox> {
    toolbox_on(&Tape::none(), root, outputs, preset, shell)
}

/// The same for a run that may be recorded or played.
pub(crate) fn toolbox_on(
    tape: &Tape,
    root: &Path,
    outputs: Option<&Path>,
    preset: PresetName,
    shell: &Shell,
) -> anyhow::Result<Toolbox> {
    let mut workspace = Workspace::open(root)?;
    if let Some(outputs) = outputs {
        workspace = workspace.with_outputs(outputs);
    }
    let workspace = Arc::new(workspace);
    let all = windlass_tools_fs::tools(&workspace)
        .into_iter()
        .chain(windlass_tools_edit::tools(&workspace))
        .chain(windlass_tools_search::tools(&workspace))
        .chain(windlass_tools_shell::tools_with(&workspace, shell))
        .chain(windlass_tools_web::tools(&Arc::new(windlass_tools_web::Fetch::new())))
        .chain(windlass_tools_control::tools(&TodoList::default()));
    let toolbox = Toolbox::builder()
        .tools(all.map(|tool| tape.tool(tool)))
        .known_aliases()
        .config(ToolConfig::new(preset.preset()))
        .build()?;
    Ok(toolbox)
}
