//! The files of a project that count only in a trusted folder.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use windlass_sandbox::{SettingsOwner, read_settings};

use crate::hex::hex;

/// Names of instruction files, in the order of precedence within one folder.
pub(crate) const INSTRUCTION_NAMES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// Files with hooks, in the order in which their hooks run.
pub(crate) const HOOK_FILES: [&str; 3] =
    [".windlass/hooks.json", ".claude/settings.json", ".claude/settings.local.json"];

/// Folders with the scripts of hooks.
pub(crate) const HOOK_FOLDERS: [&str; 2] = [".windlass/hooks", ".claude/hooks"];

/// Folders with skills, in the order of precedence.
pub(crate) const SKILL_FOLDERS: [&str; 3] = [".windlass/skills", ".agents/skills", ".claude/skills"];

/// Maximum number of scripts in one folder of hooks.
const MAX_SCRIPTS: usize = 200;

/// Use of a file of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ProjectFileKind {
    /// Text for the system prompt.
    Instructions,
    /// Definitions of hooks, which run programs.
    Hooks,
    /// Script in a folder of hooks.
    HookScript,
}

/// Difference between a file and its trusted state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileChange {
    /// The file did not exist.
    New,
    /// The file had another content.
    Changed,
}

/// A file of a project, in its present state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProjectFile {
    /// Absolute path.
    pub path: PathBuf,
    /// Use of the file.
    pub kind: ProjectFileKind,
    /// Length in bytes.
    pub bytes: usize,
    /// SHA-256 of the content, in hexadecimal digits.
    pub digest: String,
}

impl ProjectFile {
    pub(crate) fn new(path: PathBuf, kind: ProjectFileKind, text: &str) -> Self {
        let digest = hex(&Sha256::digest(text.as_bytes()));
        Self { path, kind, bytes: text.len(), digest }
    }
}

/// Lists the files of a folder that count only if the folder is trusted. Files that cannot be read are left out:
/// they are not used either.
pub fn list_project_files(folder: &Path) -> Vec<ProjectFile> {
    let owner = SettingsOwner::Project { root: folder };
    let read = |path: PathBuf, kind| {
        let text = read_settings(&path, owner).ok()??;
        Some(ProjectFile::new(path, kind, &text))
    };
    let instructions = INSTRUCTION_NAMES.iter().find_map(|name| {
        let path = folder.join(name);
        read(path, ProjectFileKind::Instructions)
    });
    let hooks = HOOK_FILES.iter().filter_map(|name| read(folder.join(name), ProjectFileKind::Hooks));
    let mut files: Vec<ProjectFile> = instructions.into_iter().chain(hooks).collect();
    for scripts in HOOK_FOLDERS {
        let found = list_scripts(&folder.join(scripts));
        files.extend(found.into_iter().filter_map(|path| read(path, ProjectFileKind::HookScript)));
    }
    files
}

/// Lists the files of a folder of scripts, without its sub-folders.
fn list_scripts(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut paths: Vec<PathBuf> = files.map(|entry| entry.path()).take(MAX_SCRIPTS).collect();
    paths.sort();
    paths
}
