//! Writing a file below the workspace's handle: the whole file at once, or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_fs_ext::{MetadataExt, OpenOptionsMaybeDirExt};
use cap_std::fs::{Dir, OpenOptions, Permissions};
use cap_tempfile::TempFile;

use crate::read::{open_named, read_all};
use crate::{Access, FileError, Version, Workspace, WorkspacePath};

/// What the caller thinks is there before a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "nothing or a known version, there is no third")]
pub enum Expected {
    /// Nothing: a new file is made, with its folders.
    Absent,
    /// This version of the file.
    Unchanged(Version),
}

/// What a write did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The real path, links followed.
    pub path: WorkspacePath,
    /// The fingerprint of what is there now.
    pub version: Version,
}

/// Where a write lands: the folder's handle and the last name.
struct Target {
    path: WorkspacePath,
    folder: Dir,
    name: PathBuf,
}

impl Workspace {
    /// Writes a whole file: a nameless file in the same folder, synced, takes the name in one step. A reader
    /// sees the old bytes or the new ones, never a mixture. Mode bits are kept; a link stays, its target
    /// is written.
    ///
    /// # Errors
    /// If the workspace is read-only, the path leads out, the file has other names, or what is there is not
    /// what was expected, looked at again just before the last step.
    pub fn write(
        &self,
        path: &WorkspacePath,
        bytes: &[u8],
        expected: Expected,
    ) -> Result<Written, FileError> {
        self.check_writable(path)?;
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let target = match expected {
            Expected::Absent => self.new_target(path)?,
            Expected::Unchanged(_) => self.known_target(path)?,
        };
        match expected {
            Expected::Absent => create(&target, bytes)?,
            Expected::Unchanged(version) => replace(&target, bytes, version)?,
        }
        sync_folder(&target)?;
        Ok(Written { path: target.path, version: Version::of(bytes) })
    }

    /// Removes a file that still is what the caller read. A link is removed itself, its target stays.
    ///
    /// # Errors
    /// As for a write.
    pub fn remove(&self, path: &WorkspacePath, expected: Version) -> Result<(), FileError> {
        self.check_writable(path)?;
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.read(path)?;
        if current.version != expected {
            return Err(FileError::Stale { path: path.to_string() });
        }
        let failed = |error| FileError::from_io(path, error);
        let parent = path.relative().parent().unwrap_or(Path::new(""));
        let parent = self.judged(&WorkspacePath::inside(parent.to_path_buf()))?;
        let Some(name) = path.relative().file_name() else {
            return Err(FileError::NotAFile { path: path.to_string(), kind: crate::Kind::Folder });
        };
        self.folder(path, parent.relative())?.remove_file(name).map_err(failed)
    }

    fn check_writable(&self, path: &WorkspacePath) -> Result<(), FileError> {
        if self.access == Access::ReadOnly || path.is_output() {
            return Err(FileError::ReadOnly { path: path.to_string() });
        }
        Ok(())
    }

    fn known_target(&self, path: &WorkspacePath) -> Result<Target, FileError> {
        let real = self.judged(path)?;
        let parent = WorkspacePath::inside(real.relative().parent().unwrap_or(Path::new("")).to_path_buf());
        self.target(&parent, path, real)
    }

    fn new_target(&self, path: &WorkspacePath) -> Result<Target, FileError> {
        match self.dir.symlink_metadata(path.for_handle()) {
            Ok(found) if found.is_symlink() && self.real(path).is_err() => {
                return Err(FileError::DanglingLink { path: path.to_string() });
            }
            Ok(_) => return Err(FileError::Exists { path: path.to_string() }),
            Err(_) => {}
        }
        let failed = |error| FileError::from_io(path, error);
        let parent = path.relative().parent().unwrap_or(Path::new(""));
        if !parent.as_os_str().is_empty() {
            self.dir.create_dir_all(parent).map_err(failed)?;
        }
        let parent = self.judged(&WorkspacePath::inside(parent.to_path_buf()))?;
        let Some(name) = path.relative().file_name() else {
            return Err(FileError::NotAFile { path: path.to_string(), kind: crate::Kind::Folder });
        };
        let real = WorkspacePath::inside(parent.relative().join(name));
        self.target(&parent, path, real)
    }

    fn target(
        &self,
        parent: &WorkspacePath,
        path: &WorkspacePath,
        real: WorkspacePath,
    ) -> Result<Target, FileError> {
        let Some(name) = real.relative().file_name().map(PathBuf::from) else {
            return Err(FileError::NotAFile { path: path.to_string(), kind: crate::Kind::Folder });
        };
        let folder = self.folder(path, parent.relative())?;
        Ok(Target { path: real, folder, name })
    }
}

fn replace(target: &Target, bytes: &[u8], expected: Version) -> Result<(), FileError> {
    let failed = |error| FileError::from_io(&target.path, error);
    let permissions = check_current(target, expected)?;
    let file = prepared(target, bytes, Some(permissions))?;
    // As late as can be: between this look and the step that gives the name nothing else happens.
    check_current(target, expected)?;
    file.replace(&target.name).map_err(failed)
}

/// A new file gets its name by a hard link, which fails where a name already stands; a rename would not.
fn create(target: &Target, bytes: &[u8]) -> Result<(), FileError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let failed = |error| FileError::from_io(&target.path, error);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let draft = PathBuf::from(format!(".windlass-{}-{count}.tmp", std::process::id()));
    prepared(target, bytes, None)?.replace(&draft).map_err(failed)?;
    let linked = target.folder.hard_link(&draft, &target.folder, &target.name);
    let removed = target.folder.remove_file(&draft);
    match linked {
        Ok(()) => removed.map_err(failed),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(FileError::Exists { path: target.path.to_string() })
        }
        // A file system without hard links: the name is claimed first, then its bytes are exchanged.
        Err(_) => {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            target.folder.open_with(&target.name, &options).map_err(failed)?;
            replace(target, bytes, Version::of(b""))
        }
    }
}

fn prepared<'t>(
    target: &'t Target,
    bytes: &[u8],
    permissions: Option<Permissions>,
) -> Result<TempFile<'t>, FileError> {
    let failed = |error| FileError::from_io(&target.path, error);
    let mut file = TempFile::new(&target.folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions).map_err(failed)?;
    }
    file.as_file().sync_all().map_err(failed)?;
    Ok(file)
}

/// Checks that the file is the one that the caller knows, and may be replaced; gives its mode bits.
fn check_current(target: &Target, expected: Version) -> Result<Permissions, FileError> {
    let path = &target.path;
    let (mut file, metadata) = open_named(&target.folder, path, &target.name)?;
    if metadata.nlink() > 1 {
        return Err(FileError::HardLinked { path: path.to_string(), links: metadata.nlink() });
    }
    let permissions = metadata.permissions();
    if is_privileged(&permissions) {
        return Err(FileError::Privileged { path: path.to_string() });
    }
    if Version::of(&read_all(&mut file, &metadata, path)?) != expected {
        return Err(FileError::Stale { path: path.to_string() });
    }
    Ok(permissions)
}

#[cfg(unix)]
fn is_privileged(permissions: &Permissions) -> bool {
    use cap_std::fs::PermissionsExt;
    permissions.mode() & 0o6000 != 0
}

#[cfg(not(unix))]
fn is_privileged(_: &Permissions) -> bool {
    false
}

/// The new name is only safe when its folder is on disk. Windows has no such call.
fn sync_folder(target: &Target) -> Result<(), FileError> {
    let failed = |error| FileError::from_io(&target.path, error);
    if cfg!(unix) {
        // The folder's own handle only names it; syncing wants one that is open for reading.
        let mut options = OpenOptions::new();
        options.read(true).maybe_dir(true);
        let folder = target.folder.open_with(".", &options).map_err(failed)?;
        folder.sync_all().map_err(failed)?;
    }
    Ok(())
}
