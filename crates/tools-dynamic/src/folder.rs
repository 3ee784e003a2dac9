//! Folders of tool files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_sandbox::{SettingsOwner, Workspace, read_settings, settings_files};
use windlass_tool::Tool;
use windlass_tools_shell::Shell;

use crate::command_tool::CommandTool;
use crate::file::File;
use crate::process::ProcessFile;
use crate::{FileProblem, ToolProcess, process_file};

/// Maximum number of files in a folder, and maximum size of a file in bytes.
const MOST_FILES: usize = 64;
const FILE_BYTES: u64 = 64 * 1024;

/// Owner of a folder of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FolderOwner {
    /// The user, whose files may lower the risk of a tool.
    User,
    /// The project, whose files may come from a stranger.
    Project,
}

/// Result of [`load`].
#[non_exhaustive]
pub struct LoadedTools {
    /// Command tools, sorted by file name.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Processes that serve tools, sorted by file name. They are not started yet.
    pub processes: Vec<ToolProcess>,
    /// Files with errors. They do not affect the other files.
    pub problems: Vec<RefusedFile>,
}

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the tool in {} is left out", file.display())]
#[non_exhaustive]
pub struct RefusedFile {
    /// Path of the file.
    pub file: PathBuf,
    /// Reason.
    pub source: FileProblem,
}

/// Error of [`load`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The folder cannot be read.
    #[error("the folder of tools {} cannot be read", folder.display())]
    Folder {
        /// Path of the folder.
        folder: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The folder contains too many files.
    #[error("the folder of tools {} has more than {MOST_FILES} files", folder.display())]
    TooMany {
        /// Path of the folder.
        folder: PathBuf,
    },
}

/// Reads the `*.toml` files of a folder. Each file defines a tool with the file's name, or a process that
/// serves several tools. Commands run in the workspace. Processes run in the folder of their file, so that a
/// file of a project cannot replace their program. The shell confines both. Processes are not started here.
///
/// # Errors
/// If the folder cannot be read or contains too many files.
pub fn load(
    folder: &Path,
    owner: FolderOwner,
    workspace: &Arc<Workspace>,
    shell: &Shell,
) -> Result<LoadedTools, LoadError> {
    let failed = |source| LoadError::Folder { folder: folder.to_path_buf(), source };
    let settings = settings_owner(owner, folder, workspace);
    let files = settings_files(folder, settings, "toml").map_err(failed)?;
    let files = files.ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))?;
    if files.len() > MOST_FILES {
        return Err(LoadError::TooMany { folder: folder.to_path_buf() });
    }
    let mut loaded = LoadedTools { tools: Vec::new(), processes: Vec::new(), problems: Vec::new() };
    for path in files {
        match read(&path, settings).and_then(|text| kind(&path, &text, owner, workspace, shell)) {
            Ok(Kind::Command(file)) => {
                loaded.tools.push(Arc::new(CommandTool::new(*file, workspace, shell)));
            }
            Ok(Kind::Process(file)) => loaded.processes.push(ToolProcess::new(*file)),
            Err(source) => loaded.problems.push(RefusedFile { file: path, source }),
        }
    }
    Ok(loaded)
}

/// Kind of a tool file.
enum Kind {
    Command(Box<File>),
    Process(Box<ProcessFile>),
}

fn kind(
    path: &Path,
    text: &str,
    owner: FolderOwner,
    workspace: &Workspace,
    shell: &Shell,
) -> Result<Kind, FileProblem> {
    if process_file::is_process(text) {
        return process_file::parse(path, text, owner, workspace.root(), shell)
            .map(|file| Kind::Process(Box::new(file)));
    }
    File::parse(path, text, owner).map(|file| Kind::Command(Box::new(file)))
}

/// Returns the owner of the files in a folder. In a project, no part of a path below the workspace may be a
/// link.
fn settings_owner<'a>(owner: FolderOwner, folder: &'a Path, workspace: &'a Workspace) -> SettingsOwner<'a> {
    let root = if folder.starts_with(workspace.root()) { workspace.root() } else { folder };
    match owner {
        FolderOwner::User => SettingsOwner::User,
        FolderOwner::Project => SettingsOwner::Project { root },
    }
}

fn read(path: &Path, owner: SettingsOwner<'_>) -> Result<String, FileProblem> {
    let text = read_settings(path, owner).map_err(FileProblem::Read)?;
    let text = text.ok_or_else(|| FileProblem::Read(std::io::ErrorKind::NotFound.into()))?;
    if text.len() as u64 > FILE_BYTES {
        return Err(FileProblem::TooLong { most: FILE_BYTES });
    }
    Ok(text)
}

impl std::fmt::Debug for LoadedTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.tools.iter().map(|tool| tool.spec().name().as_str()).collect();
        f.debug_struct("Loaded")
            .field("tools", &names)
            .field("processes", &self.processes)
            .field("problems", &self.problems)
            .finish()
    }
}
