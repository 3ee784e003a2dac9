//! The stored list of trusted folders.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files::{FileChange, ProjectFile, list_project_files};
use crate::app::App;
use crate::config::resolve_root;
use crate::error::{Context as _, Result, ensure, one_line};
use crate::storage::{Format, StateFile};

/// Path of the list in the state folder, which is outside of every project.
const FILE: &str = "trusted_folders.json";

/// Entry of a folder that is the root of a repository.
const PROJECT_TOP: &str = ".git";

/// Maximum number of trusted folders.
const MAX_FOLDERS: usize = 10_000;

/// The folders that the user trusts, each with the digests of its files that have been used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TrustedFolders {
    folders: BTreeMap<PathBuf, BTreeMap<PathBuf, String>>,
}

const FORMAT: Format<'_, TrustedFolders> = Format {
    empty: &TrustedFolders::default,
    parse: &|text| serde_json::from_str(text).context("it is not a list of trusted folders"),
    text: &|trusted| Ok(serde_json::to_string_pretty(trusted)?),
};

impl TrustedFolders {
    /// Loads the list. If it cannot be read, reports the error and trusts no folder.
    pub fn load(app: &App) -> Self {
        let loaded = state_file(app).and_then(|file| file.load(&FORMAT));
        loaded.unwrap_or_else(|error| {
            // Without a state folder the user could not trust any folder.
            if app.state_folder().is_ok() {
                app.inform(format!("{}; no folder is trusted", one_line(&error)));
            }
            Self::default()
        })
    }

    /// Returns the trusted folders in the order of their paths.
    pub fn list(&self) -> impl Iterator<Item = &Path> {
        self.folders.keys().map(PathBuf::as_path)
    }

    /// Returns the trusted folder that covers a folder: itself, or a folder above it.
    ///
    /// Trust in a folder does not cover a repository below it, because repositories are how the files of strangers
    /// arrive. `folder` must be absolute and without links.
    pub fn find_covering(&self, folder: &Path) -> Option<&Path> {
        for above in folder.ancestors() {
            if let Some((trusted, _)) = self.folders.get_key_value(above) {
                return Some(trusted);
            }
            if above.join(PROJECT_TOP).symlink_metadata().is_ok() {
                return None;
            }
        }
        None
    }

    /// Returns true if the user trusts a folder; see [`find_covering`](Self::find_covering).
    pub fn covers(&self, folder: &Path) -> bool {
        self.find_covering(folder).is_some()
    }

    /// Returns the difference between a file and its state when it was trusted or last used. `None` if it is the same.
    pub fn change_of(&self, file: &ProjectFile) -> Option<FileChange> {
        let trusted = self.find_covering(file.path.parent()?)?;
        match self.folders.get(trusted)?.get(&file.path) {
            Some(digest) if *digest == file.digest => None,
            Some(_) => Some(FileChange::Changed),
            None => Some(FileChange::New),
        }
    }
}

/// Trusts a folder with the present state of its files. Returns these files.
///
/// # Errors
///
/// Fails if the folder cannot be opened, or if the list cannot be written.
pub fn trust_folder(app: &App, folder: &Path) -> Result<Vec<ProjectFile>> {
    let folder = resolve_root(folder)?;
    let files = list_project_files(&folder);
    let digests = files.iter().map(|file| (file.path.clone(), file.digest.clone())).collect();
    let add = |trusted: &mut TrustedFolders| {
        let has_room = trusted.folders.len() < MAX_FOLDERS || trusted.folders.contains_key(&folder);
        if has_room {
            trusted.folders.insert(folder.clone(), digests);
        }
        has_room
    };
    let (_, is_added) = state_file(app)?.update(&FORMAT, add)?;
    ensure!(is_added, Conflict, "{MAX_FOLDERS} folders are trusted already; remove some of them");
    Ok(files)
}

/// Ends the trust in a folder. Returns false if the folder was not in the list.
///
/// # Errors
///
/// Fails if the list cannot be written.
pub fn withdraw_trust(app: &App, folder: &Path) -> Result<bool> {
    // The folder may not exist any more.
    let folder = folder.canonicalize().or_else(|_| std::path::absolute(folder));
    let folder = folder.context("the path is not valid")?;
    Ok(state_file(app)?.update(&FORMAT, |trusted| trusted.folders.remove(&folder).is_some())?.1)
}

/// Stores the present state of files that were used, so that a change is reported once.
pub(crate) fn store_digests(app: &App, files: &[&ProjectFile]) -> Result<()> {
    let store = |trusted: &mut TrustedFolders| {
        for file in files {
            let Some(parent) = file.path.parent() else { continue };
            let covering = trusted.find_covering(parent).map(Path::to_owned);
            if let Some(digests) = covering.and_then(|folder| trusted.folders.get_mut(&folder)) {
                digests.insert(file.path.clone(), file.digest.clone());
            }
        }
    };
    state_file(app)?.update(&FORMAT, store)?;
    Ok(())
}

/// Returns the root of the repository that contains a folder, or the folder itself.
pub(crate) fn find_top(folder: &Path) -> &Path {
    folder.ancestors().find(|above| above.join(PROJECT_TOP).symlink_metadata().is_ok()).unwrap_or(folder)
}

fn state_file(app: &App) -> Result<StateFile> {
    Ok(StateFile::new(app.state_file(FILE)?, app.notices(), "no folder is trusted"))
}
