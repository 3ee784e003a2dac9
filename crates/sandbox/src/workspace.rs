//! The one way to a file: a folder opened once, and everything else by handle below it.

mod aftermath;
mod target;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use cap_fs_ext::DirExt;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use cap_tempfile::TempFile;

use crate::path::{Area, words};
use crate::read::open_folder;
use crate::version::Seen;
use crate::write::sweep;
use crate::{FileError, Kind, PathError, SettingsOwner, Version, WorkspaceError, WorkspacePath};

pub use self::target::Look;

/// What may be done in a workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "reading alone or both, there is no third")]
pub enum Access {
    /// Files may be read only.
    ReadOnly,
    /// Files may be read and written.
    #[default]
    ReadWrite,
}

/// The one way to a file for tools: the session's root folder, opened once and never by name again.
///
/// `..`, absolute paths, links that lead out, `/proc` magic links and swaps between check and use are all
/// refused by the handle-relative calls underneath, not by comparing text.
///
/// ```
/// use windlass_sandbox::{Expected, Workspace};
/// let folder = tempfile::tempdir()?;
/// let workspace = Workspace::open(folder.path())?;
/// let path = workspace.resolve("notes/today.txt")?;
/// workspace.write(&path, b"hello\n", Expected::Absent)?;
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
    seen: Seen,
    // Two writes of this process never cross; two processes meet in the version check.
    pub(crate) writing: Mutex<()>,
}

impl Workspace {
    /// Opens a folder for reading and writing.
    ///
    /// # Errors
    /// If it is missing, no folder, or cannot be read and written.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, WorkspaceError> {
        Self::open_for(root, Access::ReadWrite)
    }

    /// Opens a folder for what is said.
    ///
    /// # Errors
    /// If it is missing, no folder, or cannot be used as said.
    pub fn open_for(root: impl AsRef<Path>, access: Access) -> Result<Self, WorkspaceError> {
        let given = root.as_ref().to_path_buf();
        let failed = |source| not_opened(&given, source);
        let root = given.canonicalize().map_err(failed)?;
        let dir = Dir::open_ambient_dir(&root, ambient_authority()).map_err(failed)?;
        dir.entries().map_err(failed)?;
        if access == Access::ReadWrite {
            // A file without a name tries the folder and leaves nothing behind.
            TempFile::new_anonymous(&dir)
                .map_err(|source| WorkspaceError::Unwritable { path: given.clone(), source })?;
            sweep(&dir);
        }
        let mut roots = vec![root.clone()];
        if given.is_absolute() && given != root {
            roots.push(given);
        }
        Ok(Self::of((roots, root), dir, access))
    }

    /// Opens a folder of settings for reading, by the rules of [`settings_files`](crate::settings_files): a user's folder may
    /// be a link, a project's folder may not lie behind one.
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
        Ok(Self::of((vec![real.clone()], real), dir, Access::ReadOnly))
    }

    fn of((roots, root): (Vec<PathBuf>, PathBuf), dir: Dir, access: Access) -> Self {
        Self { roots, root, dir, access, outputs: None, seen: Seen::default(), writing: Mutex::new(()) }
    }

    /// The same workspace with a folder of spilled outputs, which tools read as `@outputs/NAME`.
    pub fn with_outputs(mut self, folder: impl Into<PathBuf>) -> Self {
        self.outputs = Some(folder.into());
        self
    }

    /// The real path of the root, for texts and for child processes; tools never open files by it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reads the words of a model as a path. Looks at words only, not at files.
    ///
    /// # Errors
    /// If the path is empty, has a NUL, or leads out of the workspace.
    pub fn resolve(&self, text: &str) -> Result<WorkspacePath, PathError> {
        WorkspacePath::parse(text, &self.roots)
    }

    /// The path as effects name it: relative where it lies inside by its words, else as it was written.
    /// Looks at words only, so that nothing happens before approval (RULES H3).
    pub fn effect_path(&self, text: &str) -> String {
        self.resolve(text).map_or_else(|_| words(text), |path| path.plain())
    }

    /// Notes that the model has seen this version of the file.
    pub fn remember(&self, path: &WorkspacePath, version: Version) {
        // An output never changes and is never written.
        if !path.is_output() {
            self.seen.note(path, version);
        }
    }

    /// The version of the file that the model saw last, by its real path as `read` gives it.
    pub fn remembered(&self, path: &WorkspacePath) -> Option<Version> {
        self.seen.get(path)
    }

    /// The place where all links on the way have been followed. Policy may judge it once more.
    ///
    /// # Errors
    /// If nothing is there, or a link leads out of the workspace.
    pub fn real(&self, path: &WorkspacePath) -> Result<WorkspacePath, FileError> {
        if path.area() == Area::Outputs {
            return Ok(path.clone());
        }
        let look =
            || self.dir.canonicalize(path.for_handle()).map_err(|error| FileError::from_io(path, error));
        let mut real = look()?;
        for _ in 0..64 {
            // Linux names a file so that was replaced between its opening and the asking for its name.
            if !real.as_os_str().as_encoded_bytes().ends_with(b" (deleted)") || self.dir.exists(&real) {
                break;
            }
            real = look()?;
        }
        let real = if real == Path::new(".") { PathBuf::new() } else { real };
        Ok(WorkspacePath::inside(real))
    }

    /// The absolute real path of a file or a folder, for what takes a name and no handle: child processes,
    /// walkers. Unlike a handle, a name can be swapped between this look and its use.
    ///
    /// # Errors
    /// If nothing inside the workspace has the path, or what has it is no file and no folder.
    pub fn absolute(&self, path: &WorkspacePath) -> Result<PathBuf, FileError> {
        let real = self.judged(path)?;
        match self.kind(&real)? {
            Kind::File | Kind::Folder if !path.is_output() => Ok(self.root.join(real.relative())),
            kind => Err(FileError::NotAFile { path: path.to_string(), kind }),
        }
    }

    /// The real place of a path, refused if a link hides a dot name behind a harmless one: rules about
    /// `.git` or `.env` are judged on the words of the path.
    pub(crate) fn judged(&self, path: &WorkspacePath) -> Result<WorkspacePath, FileError> {
        let real = self.real(path)?;
        if !shows_hidden(path, &real) {
            return Err(FileError::HiddenTarget { path: path.to_string(), target: real.to_string() });
        }
        Ok(real)
    }

    /// The handle of a folder whose path is real: a link that took the place of one of its parts since the
    /// path was judged is not followed, wherever it leads.
    pub(crate) fn folder(&self, path: &WorkspacePath, real: &Path) -> Result<Dir, FileError> {
        real.iter().try_fold(self.handle(path)?, |folder, part| {
            folder.open_dir_nofollow(part).map_err(|error| FileError::from_io(path, error))
        })
    }

    /// The handle below which a path is opened.
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

/// Why a folder could not be opened.
fn not_opened(folder: &Path, source: io::Error) -> WorkspaceError {
    let path = folder.to_path_buf();
    match source.kind() {
        io::ErrorKind::NotFound => WorkspaceError::Missing { path },
        io::ErrorKind::NotADirectory => WorkspaceError::NotAFolder { path },
        _ => WorkspaceError::Unreadable { path, source },
    }
}

/// Whether each hidden name of the real path is also in the words of the path.
fn shows_hidden(path: &WorkspacePath, real: &WorkspacePath) -> bool {
    real.relative()
        .iter()
        .filter(|part| part.as_encoded_bytes().starts_with(b"."))
        .all(|part| path.relative().iter().any(|word| word == part))
}
