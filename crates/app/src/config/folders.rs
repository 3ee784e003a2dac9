//! Folders of settings and state.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::error::{Context as _, Result};

/// Folder of the settings of the machine's administrator.
pub(crate) const ADMIN_FOLDER: &str = "/etc/windlass";

/// Folders of one user: settings that a person writes, and state that the program writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Folders {
    /// Folder of settings: policy, providers, MCP servers, modes, tools.
    pub settings: Option<PathBuf>,
    /// Folder of state: runs, learned permissions, tokens, the code index. Tools cannot reach it.
    pub state: Option<PathBuf>,
    /// Home folder, whose `.agents/skills` and `.claude/skills` are the user's, too. `None` reads neither.
    pub home: Option<PathBuf>,
}

impl Folders {
    /// Creates the value from a folder of settings and a folder of state. Both may be missing on disk.
    pub fn new(settings: impl Into<PathBuf>, state: impl Into<PathBuf>) -> Self {
        Self { settings: Some(settings.into()), state: Some(normalize(&state.into())), home: None }
    }

    /// Reads the folders from the environment. Settings: `WINDLASS_CONFIG_DIR`, else `windlass` in
    /// `XDG_CONFIG_HOME`, else `.config/windlass` in `HOME`. State: `WINDLASS_STATE_DIR`, else `windlass` in
    /// `XDG_STATE_HOME`, else `.local/state/windlass` in `HOME`.
    pub fn from_environment() -> Self {
        let find = |own: &str, xdg: &str, below_home: &str| {
            path_variable(own)
                .or_else(|| path_variable(xdg).map(|folder| folder.join("windlass")))
                .or_else(|| path_variable("HOME").map(|home| home.join(below_home)))
        };
        let state = find("WINDLASS_STATE_DIR", "XDG_STATE_HOME", ".local/state/windlass");
        Self {
            settings: find("WINDLASS_CONFIG_DIR", "XDG_CONFIG_HOME", ".config/windlass"),
            state: state.map(|folder| normalize(&folder)),
            home: path_variable("HOME").filter(|home| home.is_absolute()),
        }
    }
}

/// Returns the path in an environment variable that is set and not empty.
fn path_variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Returns an absolute path without `..`, so that it can be compared and mounted, even if the path does not
/// exist.
fn normalize(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    whole.canonicalize().unwrap_or_else(|_| {
        whole.components().fold(PathBuf::new(), |mut plain, part| {
            if part == Component::ParentDir {
                plain.pop();
            } else {
                plain.push(part);
            }
            plain
        })
    })
}

/// Creates a folder and its missing parents with access for the user only. Does not change an existing
/// folder.
pub(crate) fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Returns the root folder of a workspace as an absolute path without links.
///
/// # Errors
///
/// Fails if the folder cannot be opened.
pub fn resolve_root(folder: &Path) -> Result<PathBuf> {
    folder.canonicalize().with_context(|| format!("the root {} cannot be opened", folder.display()))
}

#[cfg(test)]
mod tests;
