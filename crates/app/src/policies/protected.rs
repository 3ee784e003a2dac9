//! The program's own folders and files: one list for policy, confinement and the choice of a root.

use std::fs;
use std::path::{Component, Path, PathBuf};

use windlass_hitl::{OwnPlace, Policy};
use windlass_tools_shell::Shell;

use crate::app::App;
use crate::config::ADMIN_FOLDER;
use crate::error::{Result, bail};

/// Maximum number of entries that are searched for links in folders of settings, and their maximum depth.
const LOOKED_AT: usize = 1_000;
const DEPTH: usize = 4;

/// Locations of the program's own files, wherever they were configured.
///
/// Policy denies every call that reaches one of them, confined processes cannot see them, and a run cannot
/// start in one. Thus a location inside the root is masked, and a root inside a location is refused.
#[derive(Clone, Debug)]
pub struct ProtectedPaths {
    places: Vec<Place>,
}

#[derive(Clone, Debug)]
struct Place {
    kind: OwnPlace,
    path: PathBuf,
    /// True if a link in a folder of settings has this target.
    is_linked: bool,
}

impl ProtectedPaths {
    /// Returns the locations of the machine's and the user's files, and of a named policy file.
    pub fn new(app: &App, policy: Option<&Path>) -> Self {
        let mut paths = Self { places: Vec::new() };
        let settings = std::iter::once(Path::new(ADMIN_FOLDER)).chain(app.settings_folder());
        for folder in settings.chain(policy) {
            paths.push(OwnPlace::Settings, folder);
        }
        // Without a state folder the program stores no files.
        if let Ok(folder) = app.state_folder() {
            paths.push(OwnPlace::State, folder);
        }
        for path in app.list_private_paths() {
            paths.push(OwnPlace::State, &path);
        }
        paths
    }

    /// Adds recordings, which may have any path.
    pub fn with_records<'a>(mut self, files: impl IntoIterator<Item = &'a Path>) -> Self {
        for file in files {
            self.push(OwnPlace::State, file);
        }
        self
    }

    /// Adds a location under its given path and under its real path without links.
    fn push(&mut self, kind: OwnPlace, place: &Path) {
        let whole = std::path::absolute(place).unwrap_or_else(|_| place.to_owned());
        let real = real(&whole);
        let linked = if kind == OwnPlace::Settings { link_targets(&real) } else { Vec::new() };
        let linked = linked.into_iter().map(|path| (path, true));
        for (path, is_linked) in [(plain(&whole), false), (real, false)].into_iter().chain(linked) {
            let is_known = self.places.iter().any(|known| known.path == path);
            if !is_known && path.parent().is_some() {
                self.places.push(Place { kind, path, is_linked });
            }
        }
    }

    /// Fails if the root is inside one of the locations: its tools could change the program's own rules and
    /// answers.
    pub(crate) fn refuse_root(&self, root: &Path) -> Result<()> {
        let real = real(root);
        let holds = |place: &&Place| {
            !place.is_linked && (real.starts_with(&place.path) || root.starts_with(&place.path))
        };
        let Some(Place { kind, path, .. }) = self.places.iter().find(holds) else { return Ok(()) };
        let what = match kind {
            OwnPlace::Settings => "its settings",
            _ => "its records, tokens and answers",
        };
        bail!(
            Invalid,
            "the root {} is inside {}, where windlass stores {what}; tools must not reach them, so choose \
             another root",
            root.display(),
            path.display()
        )
    }

    /// Adds a rule to the policy that denies access to the locations.
    pub(crate) fn add_rules(&self, policy: Policy, root: &Path) -> Policy {
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        // A user may choose a root that is the target of a link in a folder of settings.
        let apart = self.places.iter().filter(|place| !root.starts_with(&place.path));
        apart.fold(policy, |policy, Place { kind, path, .. }| {
            let below = path.strip_prefix(root).ok();
            let of_home = home.as_deref().and_then(|home| path.strip_prefix(home).ok());
            let of_home = of_home.map(|rest| Path::new("~").join(rest));
            let names = [Some(path.as_path()), below, of_home.as_deref()].into_iter().flatten();
            // Calls cannot contain names that are not UTF-8.
            names.filter_map(Path::to_str).fold(policy, |policy, name| policy.with_own(*kind, name))
        })
    }

    /// Hides the locations from the shell's processes.
    pub fn hide(&self, shell: Shell) -> Shell {
        self.places.iter().fold(shell, |shell, place| shell.with_never(&place.path))
    }
}

/// Resolves the links of the existing part of a path, and keeps the rest.
fn real(path: &Path) -> PathBuf {
    let path = plain(path);
    path.ancestors()
        .find_map(|above| {
            let rest = path.strip_prefix(above).ok()?;
            let there = above.canonicalize().ok()?;
            Some(if rest.as_os_str().is_empty() { there } else { there.join(rest) })
        })
        .unwrap_or(path)
}

/// Returns the path without `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
        plain
    })
}

/// Returns the targets of links in a folder of settings. Users may keep the linked files in a repository.
fn link_targets(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open, mut left) = (Vec::new(), vec![(folder.to_path_buf(), 0)], LOOKED_AT);
    while let Some((folder, depth)) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Some(less) = left.checked_sub(1) else { return found };
            left = less;
            match entry.file_type() {
                Ok(kind) if kind.is_symlink() => found.extend(entry.path().canonicalize().ok()),
                Ok(kind) if kind.is_dir() && depth < DEPTH => {
                    open.push((entry.path(), depth.saturating_add(1)));
                }
                _ => {}
            }
        }
    }
    found
}
