//! Inspects the target of a path before a call is checked.

use std::path::{Path, PathBuf};

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;
use windlass_protocol::{Target, TargetKind};

use crate::path::normalize;
use crate::read::read_all;
use crate::{FileError, Kind, MAX_FILE_BYTES, PathError, Version, Workspace, WorkspacePath};

/// The maximum number of dangling links that are followed; Linux follows forty too.
const MAX_LINKS: usize = 40;

/// The names by which git recognises a repository, and those that decide which programs it runs there.
const REPOSITORY_NAMES: [&str; 10] = [
    "HEAD",
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "hooks",
    "info",
    "objects",
    "packed-refs",
    "refs",
];

/// The depth of an inspection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the place alone or with its bytes; the set is closed")]
pub enum Look {
    /// The real path and the kind.
    #[default]
    Place,
    /// Also the digest of a file's bytes, for a call that depends on them.
    Bytes,
}

/// The end of a path after all links have been followed.
enum Lead {
    There(WorkspacePath),
    Missing(WorkspacePath),
    Outside,
}

impl Workspace {
    /// Inspects the target of a model's path. Links are followed; nothing is changed, and the call never
    /// blocks.
    ///
    /// The call always returns a target, because policy also decides about unusable paths. Files longer than
    /// [`MAX_FILE_BYTES`] have no digest.
    ///
    /// ```
    /// use windlass_protocol::TargetKind;
    /// use windlass_sandbox::{Look, Workspace};
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("a.txt"), "one")?;
    /// let target = Workspace::open(folder.path())?.target("./a.txt", Look::Bytes);
    /// assert_eq!((target.path.as_str(), target.kind, target.links), ("a.txt", TargetKind::File, 1));
    /// assert!(target.digest.is_some_and(|digest| digest.starts_with("7692c3ad")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn target(&self, text: &str, look: Look) -> Target {
        let missing = Target::missing(self.effect_path(text));
        let path = match self.resolve(text) {
            Ok(path) => path,
            Err(PathError::Outside { .. } | PathError::Home { .. }) => {
                return Target { kind: TargetKind::Outside, ..missing };
            }
            Err(_) => return missing,
        };
        match self.lead(&path) {
            Lead::Outside => Target { kind: TargetKind::Outside, ..missing },
            Lead::Missing(leads) => {
                let in_repository = self.is_in_repository(&leads);
                Target { resolved: leads.plain(), in_repository, ..missing }
            }
            Lead::There(real) => {
                let in_repository = self.is_in_repository(&real);
                self.inspect_target(&real, look, Target { in_repository, ..missing })
            }
        }
    }

    /// Returns the place to which a path leads when links are followed, relative to the workspace. The missing end of a
    /// path is appended to the place of its existing beginning. Returns `None` for a place outside of the workspace.
    ///
    /// ```
    /// use windlass_sandbox::Workspace;
    /// let folder = tempfile::tempdir()?;
    /// std::fs::create_dir(folder.path().join("private"))?;
    /// std::os::unix::fs::symlink("private", folder.path().join("pub"))?;
    /// let workspace = Workspace::open(folder.path())?;
    /// assert_eq!(workspace.leads_to("pub/new.txt").as_deref(), Some("private/new.txt"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn leads_to(&self, text: &str) -> Option<String> {
        let path = self.resolve(text).ok()?;
        match self.lead(&path) {
            Lead::There(place) | Lead::Missing(place) => Some(place.plain()),
            // Tools follow no absolute link. Commands do, and it may lead back in.
            Lead::Outside if !path.is_output() => self.follow_absolute_links(path.relative()),
            Lead::Outside => None,
        }
    }

    /// Returns the place in the workspace to which a path leads when absolute links are followed, too.
    fn follow_absolute_links(&self, path: &Path) -> Option<String> {
        let place = path.ancestors().find_map(|there| {
            let real = self.root.join(there).canonicalize().ok()?;
            Some(real.join(path.strip_prefix(there).ok()?))
        })?;
        let below = normalize(place.strip_prefix(&self.root).ok()?)?;
        Some(WorkspacePath::from_relative(below).plain())
    }

    /// Returns true if a name of the path belongs to a bare repository: one of git's names beside a file
    /// `HEAD`. Git reads such a folder's configuration and runs the programs in it whenever it is started
    /// there.
    fn is_in_repository(&self, path: &WorkspacePath) -> bool {
        let has_head = |folder: &Path| {
            let found = self.dir.symlink_metadata(folder.join("HEAD"));
            found.is_ok_and(|found| !found.is_dir())
        };
        !path.is_output()
            && path.relative().ancestors().skip(1).zip(path.relative().ancestors()).any(|(folder, inner)| {
                let name = inner.file_name().and_then(|name| name.to_str());
                name.is_some_and(|name| REPOSITORY_NAMES.contains(&name)) && has_head(folder)
            })
    }

    fn inspect_target(&self, real: &WorkspacePath, look: Look, missing: Target) -> Target {
        let target = Target { resolved: real.plain(), ..missing };
        let Ok(metadata) = self.metadata(real) else { return target };
        let kind = match Kind::from_file_type(metadata.file_type()) {
            Kind::File => TargetKind::File,
            Kind::Folder => TargetKind::Folder,
            _ => TargetKind::Special,
        };
        let target =
            Target { kind, links: metadata.nlink(), device: metadata.dev(), inode: metadata.ino(), ..target };
        if look == Look::Place || kind != TargetKind::File || metadata.len() > MAX_FILE_BYTES {
            return target;
        }
        Target { digest: self.digest(real).ok().map(|version| version.to_string()), ..target }
    }

    fn metadata(&self, real: &WorkspacePath) -> Result<Metadata, FileError> {
        let found = self.handle(real)?.symlink_metadata(real.for_handle());
        found.map_err(|error| FileError::from_io(real, error))
    }

    fn digest(&self, real: &WorkspacePath) -> Result<Version, FileError> {
        let (mut file, metadata) = self.open_real(real)?;
        let disk = Version::compute(&read_all(&mut file, &metadata, real)?);
        // A call that changes an unsaved text depends on it.
        let unsaved = self.find_unsaved(real, disk);
        Ok(unsaved.map_or(disk, |unsaved| Version::compute(&unsaved.bytes)))
    }

    fn lead(&self, path: &WorkspacePath) -> Lead {
        if path.is_output() {
            return if self.metadata(path).is_ok() {
                Lead::There(path.clone())
            } else {
                Lead::Missing(path.clone())
            };
        }
        let mut at = path.clone();
        for _ in 0..MAX_LINKS {
            match self.real(&at) {
                Ok(real) => return Lead::There(real),
                Err(FileError::Escape { .. }) => return Lead::Outside,
                Err(_) => {}
            }
            let Some((folder, rest)) = self.deepest(&at) else { return Lead::Outside };
            match self.dangling(&folder, &rest) {
                Dangling::None => return Lead::Missing(WorkspacePath::from_relative(folder.join(rest))),
                Dangling::To(next) => at = WorkspacePath::from_relative(next),
                Dangling::Outside => return Lead::Outside,
            }
        }
        Lead::Missing(path.clone())
    }

    /// Returns the deepest existing folder of the path, by its real path, and the rest of the path. Returns
    /// `None` if the path leads out.
    fn deepest(&self, path: &WorkspacePath) -> Option<(PathBuf, PathBuf)> {
        let mut rest = PathBuf::new();
        let mut there = path.relative();
        while let (Some(parent), Some(name)) = (there.parent(), there.file_name()) {
            rest = if rest.as_os_str().is_empty() { name.into() } else { Path::new(name).join(&rest) };
            there = parent;
            match self.real(&WorkspacePath::from_relative(parent.to_path_buf())) {
                Ok(real) => return Some((real.relative().to_path_buf(), rest)),
                Err(FileError::Escape { .. }) => return None,
                Err(_) => {}
            }
        }
        Some((PathBuf::new(), rest))
    }

    fn dangling(&self, folder: &Path, rest: &Path) -> Dangling {
        let mut parts = rest.iter();
        let Some(first) = parts.next() else { return Dangling::None };
        let Ok(leads) = self.dir.read_link_contents(folder.join(first)) else { return Dangling::None };
        if leads.has_root() || leads.is_absolute() {
            return Dangling::Outside;
        }
        let next = folder.join(leads).join(parts.as_path());
        normalize(&next).map_or(Dangling::Outside, Dangling::To)
    }
}

/// The target of a dangling link.
enum Dangling {
    None,
    To(PathBuf),
    Outside,
}
