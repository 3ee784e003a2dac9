//! The folders and files that this program keeps for itself: one list for policy, for confinement and for the choice of a
//! root.

use std::fs;
use std::path::{Component, Path, PathBuf};

use windlass_hitl::{OwnPlace, Policy};
use windlass_tools_shell::Shell;

use crate::{policies, runs};

/// How many names of the settings folder are looked at for links, and how many folders deep.
const LOOKED_AT: usize = 1_000;
const DEPTH: usize = 4;

/// Everything that the program keeps, wherever it was configured to lie.
///
/// Policy denies every call that reaches one of these places, confined processes do not see them, and a run does not
/// start in one. A place inside the root is therefore masked, and a root inside a place is refused.
pub(crate) struct Own {
    places: Vec<Place>,
}

struct Place {
    kind: OwnPlace,
    path: PathBuf,
    /// Whether a link in a folder of settings leads there.
    is_linked: bool,
}

impl Own {
    /// The places of the machine and the user, and a policy file that is named.
    pub(crate) fn of(policy: Option<&Path>) -> Self {
        let mut own = Self { places: Vec::new() };
        let settings = policies::admin_folder().into_iter().chain(policies::settings());
        for folder in settings.chain(policy.map(Path::to_path_buf)) {
            own.push(OwnPlace::Settings, &folder);
        }
        // Without a place for the state there is nothing to keep from anybody.
        if let Ok(folder) = runs::state() {
            own.push(OwnPlace::State, &folder);
        }
        own
    }

    /// The same with files that this command line names for records.
    pub(crate) fn with_records<'a>(mut self, files: impl IntoIterator<Item = &'a Path>) -> Self {
        for file in files {
            self.push(OwnPlace::State, file);
        }
        self
    }

    /// Adds a place under its own name and under the one that links lead to.
    fn push(&mut self, kind: OwnPlace, place: &Path) {
        let whole = std::path::absolute(place).unwrap_or_else(|_| place.to_owned());
        let real = real(&whole);
        let linked = if kind == OwnPlace::Settings { linked(&real) } else { Vec::new() };
        let linked = linked.into_iter().map(|path| (path, true));
        for (path, is_linked) in [(plain(&whole), false), (real, false)].into_iter().chain(linked) {
            let is_known = self.places.iter().any(|known| known.path == path);
            if !is_known && path.parent().is_some() {
                self.places.push(Place { kind, path, is_linked });
            }
        }
    }

    /// Refuses a root that lies in one of the places: its tools would work on what judges them.
    pub(crate) fn refuse_root(&self, root: &Path) -> anyhow::Result<()> {
        let real = real(root);
        let holds = |place: &&Place| {
            !place.is_linked && (real.starts_with(&place.path) || root.starts_with(&place.path))
        };
        let Some(Place { kind, path, .. }) = self.places.iter().find(holds) else { return Ok(()) };
        let what = match kind {
            OwnPlace::Settings => "its settings",
            _ => "its records, tokens and answers",
        };
        anyhow::bail!(
            "the root {} lies in {}, where windlass keeps {what}; its own tools must not reach them, so take another \
             root",
            root.display(),
            path.display()
        )
    }

    /// The policy with a floor under the places.
    pub(crate) fn rule(&self, policy: Policy, root: &Path) -> Policy {
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        // A folder of settings that is the root itself, by a link, was chosen by the user.
        let apart = self.places.iter().filter(|place| !root.starts_with(&place.path));
        apart.fold(policy, |policy, Place { kind, path, .. }| {
            let below = path.strip_prefix(root).ok();
            let of_home = home.as_deref().and_then(|home| path.strip_prefix(home).ok());
            let of_home = of_home.map(|rest| Path::new("~").join(rest));
            let names = [Some(path.as_path()), below, of_home.as_deref()].into_iter().flatten();
            // A name that is not UTF-8 is no name that a call can give.
            names.filter_map(Path::to_str).fold(policy, |policy, name| policy.with_own(*kind, name))
        })
    }

    /// The shell whose processes do not see the places.
    pub(crate) fn hide(&self, shell: Shell) -> Shell {
        self.places.iter().fold(shell, |shell, place| shell.with_never(&place.path))
    }
}

/// The path without links, as far as it is there; the rest as its words say.
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

/// The path without `..`.
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

/// What the links in a folder of settings lead to: a user may keep the files themselves in a repository.
fn linked(folder: &Path) -> Vec<PathBuf> {
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
