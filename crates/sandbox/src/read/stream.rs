//! Reads files in pieces, for files that are too long for memory.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use cap_std::fs::{File, Metadata};

use crate::{FileError, Workspace, WorkspacePath};

/// The bytes of a regular file, from its start or from a position set by `seek`.
///
/// ```
/// use std::io::Read;
/// use windlass_sandbox::Workspace;
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a.txt"), "one\n")?;
/// let workspace = Workspace::open(folder.path())?;
/// let mut stream = workspace.stream(&workspace.resolve("a.txt")?)?;
/// let mut text = String::new();
/// stream.read_to_string(&mut text)?;
/// assert_eq!((stream.len(), text.as_str()), (4, "one\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FileStream {
    file: File,
    path: WorkspacePath,
    len: u64,
}

impl FileStream {
    pub(super) fn open(file: File, path: WorkspacePath, metadata: &Metadata) -> Self {
        Self { file, path, len: metadata.len() }
    }

    /// Returns the real path, with links followed.
    pub fn path(&self) -> &WorkspacePath {
        &self.path
    }

    /// Returns the length of the file when it was opened, in bytes.
    #[expect(clippy::len_without_is_empty, reason = "an empty file is read like any other")]
    pub fn len(&self) -> u64 {
        self.len
    }
}

impl fmt::Debug for FileStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileStream").field("path", &self.path).field("len", &self.len).finish_non_exhaustive()
    }
}

impl Read for FileStream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.read(bytes)
    }
}

impl Seek for FileStream {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Workspace {
    /// Opens a regular file of any length. Links inside the workspace are followed, and the call never
    /// blocks.
    ///
    /// # Errors
    /// If the file is missing, not a regular file, or leads out of the workspace.
    pub fn stream(&self, path: &WorkspacePath) -> Result<FileStream, FileError> {
        let real = self.resolve_checked(path)?;
        let (file, metadata) = self.open_real(&real)?;
        Ok(FileStream::open(file, real, &metadata))
    }
}
