//! Writes files below the workspace's handle, each as a whole or not at all.

#[cfg(target_os = "linux")]
mod attributes;
mod draft;
mod place;
mod remove;
mod through;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::Duration;

use cap_fs_ext::{DirExt, MetadataExt, OpenOptionsMaybeDirExt};
use cap_std::fs::{Dir, File, Metadata, OpenOptions, Permissions};

use self::draft::Draft;
pub(crate) use self::draft::sweep;
pub use self::place::{PathState, Run};
pub use self::remove::FoundEntry;
use crate::read::{open_named, read_all};
use crate::{Access, Contents, FileError, Version, Workspace, WorkspacePath};

/// The wait for another process that changes the same file: at most 400 attempts, 5 ms apart.
const LOOKS: usize = 400;
const PAUSE: Duration = Duration::from_millis(5);

/// The state that the caller expects before a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "nothing or a known version; the set is closed")]
pub enum ExpectedState {
    /// The file does not exist. It is created, together with its folders.
    Absent,
    /// The file has this version.
    Unchanged(Version),
}

/// The result of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteResult {
    /// The real path, with links followed.
    pub path: WorkspacePath,
    /// The version of the new contents.
    pub version: Version,
    /// The folders that were created for the file, outermost first.
    pub folders: Vec<WorkspacePath>,
    /// True if the name has been synced to disk too. The bytes always have. The name cannot be synced if the
    /// folder cannot be opened for reading, or on some network file systems.
    pub is_durable: bool,
}

/// The place of a write: the folder's handle and the last name.
struct Place {
    path: WorkspacePath,
    folder: Dir,
    name: PathBuf,
}

impl Workspace {
    /// Writes a whole file: the bytes are synced and get the name in one atomic step, so a reader sees either
    /// the old bytes or the new ones. Mode bits are kept. A link stays, and its target is written. Two
    /// processes that write the same file take turns; the second one finds the file changed.
    ///
    /// In a workspace with an editor, an existing text file is changed through the editor, which also keeps its unsaved
    /// changes. While a process that is running can change the folders, only files without them are changed, on disk.
    ///
    /// # Errors
    /// If the workspace is read-only, the path leads out, the file has several hard links, or its state is
    /// not the expected one. The state is checked again just before the last step.
    pub fn write(
        &self,
        path: &WorkspacePath,
        bytes: &[u8],
        expected: ExpectedState,
    ) -> Result<WriteResult, FileError> {
        self.write_with(path, bytes, expected, None)
    }

    /// Writes a file with the mode of another one: for a file that is moved or restored.
    ///
    /// # Errors
    /// As for `write`.
    pub fn write_like(
        &self,
        path: &WorkspacePath,
        bytes: &[u8],
        expected: ExpectedState,
        like: &Contents,
    ) -> Result<WriteResult, FileError> {
        self.write_with(path, bytes, expected, Some(&like.permissions))
    }

    fn write_with(
        &self,
        path: &WorkspacePath,
        bytes: &[u8],
        expected: ExpectedState,
        like: Option<&Permissions>,
    ) -> Result<WriteResult, FileError> {
        self.check_writable(path)?;
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        if let ExpectedState::Unchanged(version) = expected
            && let Some(written) = self.write_through(path, bytes, version)?
        {
            return Ok(written);
        }
        let (place, folders) = match expected {
            ExpectedState::Absent => self.new_place(path)?,
            ExpectedState::Unchanged(_) => (self.find_place(path)?, Vec::new()),
        };
        // Open the folder now: after the last step the file is written, and an error would claim otherwise.
        let folder = folder_to_sync(&place);
        match expected {
            ExpectedState::Absent => self.create(&place, bytes, like)?,
            ExpectedState::Unchanged(version) => self.replace(&place, bytes, version)?,
        }
        let is_durable = folder.is_some_and(|folder| folder.sync_all().is_ok());
        Ok(WriteResult { path: place.path, version: Version::compute(bytes), folders, is_durable })
    }

    fn check_writable(&self, path: &WorkspacePath) -> Result<(), FileError> {
        if self.access == Access::ReadOnly || path.is_output() {
            return Err(FileError::ReadOnly { path: path.to_string() });
        }
        Ok(())
    }

    fn find_place(&self, path: &WorkspacePath) -> Result<Place, FileError> {
        let real = self.resolve_checked(path)?;
        let parent = real.relative().parent().unwrap_or(Path::new(""));
        let folder = self.folder(path, parent)?;
        let Some(name) = real.relative().file_name().map(PathBuf::from) else {
            return Err(FileError::NotAFile { path: path.to_string(), kind: crate::Kind::Folder });
        };
        Ok(Place { path: real, folder, name })
    }

    fn new_place(&self, path: &WorkspacePath) -> Result<(Place, Vec<WorkspacePath>), FileError> {
        match self.dir.symlink_metadata(path.for_handle()) {
            Ok(found) if found.is_symlink() && self.real(path).is_err() => {
                return Err(FileError::DanglingLink { path: path.to_string() });
            }
            Ok(_) => return Err(FileError::Exists { path: path.to_string() }),
            Err(_) => {}
        }
        let Some(name) = path.relative().file_name() else {
            return Err(FileError::NotAFile { path: path.to_string(), kind: crate::Kind::Folder });
        };
        let (folder, real, made) = self.create_folder(path)?;
        let path = WorkspacePath::from_relative(real.join(name));
        Ok((Place { path, folder, name: name.into() }, made))
    }

    /// Opens the folder of a new file and creates its missing parents. The deepest existing folder is checked
    /// before anything is created in it.
    fn create_folder(&self, path: &WorkspacePath) -> Result<(Dir, PathBuf, Vec<WorkspacePath>), FileError> {
        let failed = |error| FileError::from_io(path, error);
        let mut there = path.relative().parent().unwrap_or(Path::new(""));
        let mut missing = Vec::new();
        let mut real = loop {
            match self.resolve_checked(&WorkspacePath::from_relative(there.to_path_buf())) {
                Ok(real) => break real.relative().to_path_buf(),
                Err(FileError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
            missing.extend(there.file_name());
            there = there.parent().unwrap_or(Path::new(""));
        };
        let mut folder = self.folder(path, &real)?;
        let mut made = Vec::new();
        for name in missing.into_iter().rev() {
            real.push(name);
            match folder.create_dir(name) {
                Ok(()) => made.push(WorkspacePath::from_relative(real.clone())),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
            folder = folder.open_dir_nofollow(name).map_err(failed)?;
        }
        Ok((folder, real, made))
    }

    fn replace(&self, place: &Place, bytes: &[u8], expected: Version) -> Result<(), FileError> {
        let held = hold(place)?;
        let permissions = check_current(place, held, expected)?;
        let step = |draft: &Draft<'_>| {
            // Check as late as possible: only the ownership and attribute calls come between this check and
            // the rename.
            check_current(place, open_named(&place.folder, &place.path, &place.name)?, expected)?;
            // Copy the owner before the rename, because this user could not undo a failure after it.
            let old = &permissions.1;
            let kept = draft.keep_owner(old).and_then(|()| draft.keep_attributes(old));
            kept.map_err(|error| FileError::from_io(&place.path, error))?;
            Ok(draft.replace(&place.folder, &place.name))
        };
        self.with_draft(place, bytes, Some(&permissions.0), step)
    }

    fn create(&self, place: &Place, bytes: &[u8], like: Option<&Permissions>) -> Result<(), FileError> {
        let exists = || FileError::Exists { path: place.path.to_string() };
        self.with_draft(place, bytes, like, |draft| match draft.claim(&place.folder, &place.name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
            // A file system without hard links: create the name first, then rename the draft over it.
            Err(error) if error.kind() != io::ErrorKind::CrossesDevices => {
                let mut options = OpenOptions::new();
                options.write(true).create_new(true);
                let failed = |error| FileError::from_io(&place.path, error);
                place.folder.open_with(&place.name, &options).map_err(failed)?;
                Ok(draft.replace(&place.folder, &place.name))
            }
            done => Ok(done),
        })
    }

    /// Creates a draft in the workspace's root, where drafts of dead writers are found again, and calls
    /// `step` with it. If the folder is on another device, creates the draft beside the name instead.
    fn with_draft(
        &self,
        place: &Place,
        bytes: &[u8],
        permissions: Option<&Permissions>,
        step: impl Fn(&Draft<'_>) -> Result<io::Result<()>, FileError>,
    ) -> Result<(), FileError> {
        let failed = |error| FileError::from_io(&place.path, error);
        let draft = Draft::new(&self.dir, bytes, permissions).map_err(failed)?;
        match step(&draft)? {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let draft = Draft::new(&place.folder, bytes, permissions).map_err(failed)?;
                step(&draft)?.map_err(failed)
            }
            done => done.map_err(failed),
        }
    }
}

/// Opens the file and waits for its lock, so that no other process is between its check and its write. Then
/// checks that the name still leads to this file.
fn hold(place: &Place) -> Result<(File, Metadata), FileError> {
    let failed = |error| FileError::from_io(&place.path, error);
    let (file, metadata) = open_named(&place.folder, &place.path, &place.name)?;
    if cfg!(unix) {
        lock(&file, place)?;
    }
    let now = place.folder.symlink_metadata(&place.name).map_err(failed)?;
    if (now.dev(), now.ino()) != (metadata.dev(), metadata.ino()) {
        return Err(FileError::Stale { path: place.path.to_string() });
    }
    Ok((file, metadata))
}

fn lock(file: &File, place: &Place) -> Result<(), FileError> {
    // The lock belongs to the open file and lasts until its last handle is closed.
    let handle = file.try_clone().map_err(|error| FileError::from_io(&place.path, error))?.into_std();
    for _ in 0..LOOKS {
        match handle.try_lock() {
            Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            // On a file system without locks only the version check protects the file.
            Ok(()) | Err(std::fs::TryLockError::Error(_)) => return Ok(()),
        }
    }
    Err(FileError::Busy { path: place.path.to_string() })
}

/// Checks that the file has the expected version and may be replaced. Returns its mode bits and the open
/// file, which holds the lock.
fn check_current(
    place: &Place,
    (mut file, metadata): (File, Metadata),
    expected: Version,
) -> Result<(Permissions, File), FileError> {
    let path = &place.path;
    if metadata.nlink() > 1 {
        return Err(FileError::HardLinked { path: path.to_string(), links: metadata.nlink() });
    }
    let permissions = metadata.permissions();
    if is_privileged(&permissions) {
        return Err(FileError::Privileged { path: path.to_string() });
    }
    if is_closed(&permissions) {
        return Err(FileError::ReadOnly { path: path.to_string() });
    }
    if Version::compute(&read_all(&mut file, &metadata, path)?) != expected {
        return Err(FileError::Stale { path: path.to_string() });
    }
    Ok((permissions, file))
}

#[cfg(unix)]
fn is_privileged(permissions: &Permissions) -> bool {
    use cap_std::fs::PermissionsExt;
    permissions.mode() & 0o6000 != 0
}

/// Returns true if the file's owner has no permission to write it. A rename over the file would not require that
/// permission.
#[cfg(unix)]
fn is_closed(permissions: &Permissions) -> bool {
    use cap_std::fs::PermissionsExt;
    permissions.mode() & 0o200 == 0
}

#[cfg(not(unix))]
fn is_closed(permissions: &Permissions) -> bool {
    permissions.readonly()
}

#[cfg(not(unix))]
fn is_privileged(_: &Permissions) -> bool {
    false
}

/// Opens the folder for syncing. Its own handle only names it, and a sync needs one that is open for reading.
/// Windows does not have such a call.
fn folder_to_sync(place: &Place) -> Option<File> {
    if !cfg!(unix) {
        return None;
    }
    let mut options = OpenOptions::new();
    options.read(true).maybe_dir(true);
    place.folder.open_with(".", &options).ok()
}
