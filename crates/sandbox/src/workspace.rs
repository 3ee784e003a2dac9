//! The workspace: a folder that is opened once, with all file access by handle below it.

mod aftermath;
mod consult;
pub(crate) mod editor;
mod target;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use cap_fs_ext::DirExt;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use cap_tempfile::TempFile;

use self::editor::Editor;
use crate::path::{Area, words};
use crate::read::open_folder;
use crate::version::SeenVersions;
use crate::write::sweep;
use crate::{FileError, Kind, PathError, SettingsOwner, Version, WorkspaceError, WorkspacePath};

pub use self::editor::{EditorFiles, EditorState};
pub use self::target::Look;

/// The permitted operations in a workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "reading alone or both; the set is closed")]
pub enum Access {
    /// Files may only be read.
    ReadOnly,
    /// Files may be read and written.
    #[default]
    ReadWrite,
}

/// The session's root folder, through which tools access all files. It is opened once and never again by
/// name.
///
/// `..`, absolute paths, links that lead out, `/proc` magic links and exchanges between check and use are
/// refused by the handle-relative calls underneath, not by comparing text.
///
/// ```
/// use windlass_sandbox::{ExpectedState, Workspace};
/// let folder = tempfile::tempdir()?;
/// let workspace = Workspace::open(folder.path())?;
/// let path = workspace.resolve("notes/today.txt")?;
/// workspace.write(&path, b"hello\n", ExpectedState::Absent)?;
/// assert_eq!(workspace.read(&path)?.bytes, b"hello\n");
/// assert!(workspace.resolve("../secret").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Workspace {
    roots: Vec<PathBuf>,
    root: PathBuf,
    pub(crate) dir: Dir,
    pub(crate) access: Access,
    outputs: Option<PathBuf>,
    seen: SeenVersions,
    /// The editor whose unsaved texts count instead of the files on disk.
    pub(crate) editor: Option<Editor>,
    // Serializes the writes of this process. Between processes, locks and the version check protect a file.
    pub(crate) writing: Mutex<()>,
}

impl Workspace {
    /// Opens a folder for reading and writing.
    ///
    /// # Errors
    /// If the folder is missing, is not a folder, or cannot be read and written.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, WorkspaceError> {
        Self::open_for(root, Access::ReadWrite)
    }

    /// Opens a folder with the given access.
    ///
    /// # Errors
    /// If the folder is missing, is not a folder, or does not permit the access.
    pub fn open_for(root: impl AsRef<Path>, access: Access) -> Result<Self, WorkspaceError> {
        let given = root.as_ref().to_path_buf();
        let failed = |source| not_opened(&given, source);
        let root = given.canonicalize().map_err(failed)?;
        let dir = Dir::open_ambient_dir(&root, ambient_authority()).map_err(failed)?;
        dir.entries().map_err(failed)?;
        if access == Access::ReadWrite {
            // An unnamed file tests the write permission without leaving a trace.
            TempFile::new_anonymous(&dir)
                .map_err(|source| WorkspaceError::Unwritable { path: given.clone(), source })?;
            sweep(&dir);
        }
        let mut roots = vec![root.clone()];
        if given.is_absolute() && given != root {
            roots.push(given);
        }
        Ok(Self::new((roots, root), dir, access))
    }

    /// Opens a folder of settings for reading, by the rules of [`settings_files`](crate::settings_files): a user's
    /// folder may be a link, but the path of a project's folder must not contain a link.
    ///
    /// # Errors
    /// If it is missing, not a folder, refused, or cannot be read.
    pub fn open_settings(folder: &Path, owner: SettingsOwner<'_>) -> Result<Self, WorkspaceError> {
        let SettingsOwner::Project { root } = owner else {
            return Self::open_for(folder, Access::ReadOnly);
        };
        let failed = |source| not_opened(folder, source);
        let dir = open_folder(folder, owner).map_err(failed)?;
        dir.entries().map_err(failed)?;
        // No part below the root is a link.
        let below = folder.strip_prefix(root).unwrap_or(folder);
        let real = root.canonicalize().map_err(failed)?.join(below);
        Ok(Self::new((vec![real.clone()], real), dir, Access::ReadOnly))
    }

    fn new((roots, root): (Vec<PathBuf>, PathBuf), dir: Dir, access: Access) -> Self {
        Self {
            roots,
            root,
            dir,
            access,
            outputs: None,
            seen: SeenVersions::default(),
            editor: None,
            writing: Mutex::new(()),
        }
    }

    /// Sets a folder of spilled outputs, which tools read as `@outputs/NAME`.
    pub fn with_outputs(mut self, folder: impl Into<PathBuf>) -> Self {
        self.outputs = Some(folder.into());
        self
    }

    /// Returns the real path of the root, for messages and child processes. Tools never open files by it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Parses a model's text as a path. Only the text is considered, not the files.
    ///
    /// # Errors
    /// If the path is empty, has a NUL, or leads out of the workspace.
    pub fn resolve(&self, text: &str) -> Result<WorkspacePath, PathError> {
        WorkspacePath::parse(text, &self.roots)
    }

    /// Returns the path as effects name it: relative if it is lexically inside the workspace, else as it was
    /// written. Only the text is considered, so that nothing happens before approval (RULES H3).
    pub fn effect_path(&self, text: &str) -> String {
        self.resolve(text).map_or_else(|_| words(text), |path| path.plain())
    }

    /// Records that the model has seen this version of the file.
    pub fn remember(&self, path: &WorkspacePath, version: Version) {
        // An output never changes and is never written.
        if !path.is_output() {
            self.seen.note(path, version);
        }
    }

    /// Returns the version of the file that the model saw last, by the real path that `read` returns.
    pub fn last_seen_version(&self, path: &WorkspacePath) -> Option<Version> {
        self.seen.get(path)
    }

    /// Returns the path with all links followed. Policy may decide about it once more.
    ///
    /// # Errors
    /// If the path does not exist, or a link leads out of the workspace.
    pub fn real(&self, path: &WorkspacePath) -> Result<WorkspacePath, FileError> {
        if path.area() == Area::Outputs {
            return Ok(path.clone());
        }
        let look =
            || self.dir.canonicalize(path.for_handle()).map_err(|error| FileError::from_io(path, error));
        let mut real = look()?;
        for _ in 0..64 {
            // Linux reports this name for a file that was replaced between opening it and querying its name.
            if !real.as_os_str().as_encoded_bytes().ends_with(b" (deleted)") || self.dir.exists(&real) {
                break;
            }
            real = look()?;
        }
        let real = if real == Path::new(".") { PathBuf::new() } else { real };
        Ok(WorkspacePath::from_relative(real))
    }

    /// Returns the absolute real path of a file or a folder, for callers that need a name and not a handle,
    /// for example child processes and walkers. Unlike a handle, a name can be exchanged before it is used.
    ///
    /// # Errors
    /// If the path does not exist inside the workspace, or is neither a file nor a folder.
    pub fn absolute(&self, path: &WorkspacePath) -> Result<PathBuf, FileError> {
        let real = self.resolve_checked(path)?;
        match self.kind(&real)? {
            Kind::File | Kind::Folder if !path.is_output() => Ok(self.root.join(real.relative())),
            kind => Err(FileError::NotAFile { path: path.to_string(), kind }),
        }
    }

    /// Returns the real path. Refuses a link that hides a dot name behind a harmless one, because rules about
    /// `.git` or `.env` check the text of the path.
    pub(crate) fn resolve_checked(&self, path: &WorkspacePath) -> Result<WorkspacePath, FileError> {
        let real = self.real(path)?;
        if !shows_hidden(path, &real) {
            return Err(FileError::HiddenTarget { path: path.to_string(), target: real.to_string() });
        }
        Ok(real)
    }

    /// Opens a folder by its real path. A link that has replaced a part of the path since it was checked is
    /// not followed.
    pub(crate) fn folder(&self, path: &WorkspacePath, real: &Path) -> Result<Dir, FileError> {
        real.iter().try_fold(self.handle(path)?, |folder, part| {
            folder.open_dir_nofollow(part).map_err(|error| FileError::from_io(path, error))
        })
    }

    /// Returns the handle below which a path is opened.
    pub(crate) fn handle(&self, path: &WorkspacePath) -> Result<Dir, FileError> {
        match path.area() {
            Area::Root => self.dir.try_clone(),
            Area::Outputs => match &self.outputs {
                Some(folder) => Dir::open_ambient_dir(folder, ambient_authority()),
                None => return Err(FileError::NoOutputs { path: path.to_string() }),
            },
        }
        .map_err(|error| FileError::from_io(path, error))
    }
}

/// Returns the error for a folder that could not be opened.
fn not_opened(folder: &Path, source: io::Error) -> WorkspaceError {
    let path = folder.to_path_buf();
    match source.kind() {
        io::ErrorKind::NotFound => WorkspaceError::Missing { path },
        io::ErrorKind::NotADirectory => WorkspaceError::NotAFolder { path },
        _ => WorkspaceError::Unreadable { path, source },
    }
}

/// Returns true if each hidden name of the real path also occurs in the path itself.
fn shows_hidden(path: &WorkspacePath, real: &WorkspacePath) -> bool {
    real.relative()
        .iter()
        .filter(|part| part.as_encoded_bytes().starts_with(b"."))
        .all(|part| path.relative().iter().any(|word| word == part))
}
