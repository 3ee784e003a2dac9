//! The folder of an index: one for each workspace, readable by its owner only, with a lock and a version
//! file.
#![expect(
    clippy::disallowed_methods,
    reason = "the index lies outside of every workspace, where no handle leads"
)]

use std::fmt::Write;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

/// Increase it when the meaning of the index content changes. An index of another version is rebuilt.
const VERSION: &str = "windlass-index 4";

/// Folder of one workspace's index.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    root: PathBuf,
}

impl Folder {
    /// Returns the folder below `all` for the workspace at `root`.
    pub(super) fn new(all: &Path, root: &Path) -> Self {
        let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
        let mut key = String::new();
        for byte in digest.iter().take(16) {
            // Writing into a string cannot fail.
            let _ = write!(key, "{byte:02x}");
        }
        Self { path: all.join(key), root: root.to_path_buf() }
    }

    /// Returns true if a folder, which need not exist, is inside a workspace after resolving links.
    pub(super) fn lies_inside(all: &Path, root: &Path) -> bool {
        let real = all.ancestors().find_map(|above| fs::canonicalize(above).ok().map(|real| (above, real)));
        real.is_some_and(|(above, real)| {
            real.join(all.strip_prefix(above).unwrap_or(Path::new(""))).starts_with(root)
        })
    }

    /// Returns the folder of the vector cache, which a rebuild of the index keeps, because embeddings cost
    /// money.
    pub(super) fn vectors(&self) -> PathBuf {
        self.path.join("vectors")
    }

    pub(super) fn index(&self) -> PathBuf {
        self.path.join("index")
    }

    /// Takes the lock if it is free. Dropping the file or a crash releases it.
    pub(super) fn lock(&self) -> io::Result<Option<File>> {
        make(&self.path)?;
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).write(true).open(self.path.join("lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// Returns true if an index of any version exists.
    pub(super) fn exists(&self) -> bool {
        fs::exists(self.index()).unwrap_or(false)
    }

    /// Returns true if this version created the index for this workspace.
    pub(super) fn is_own(&self) -> bool {
        fs::read(self.info_path()).is_ok_and(|about| about == self.words())
    }

    /// Removes the index and creates an empty folder. The caller must hold the lock.
    pub(super) fn clear(&self) -> io::Result<()> {
        for gone in [fs::remove_file(self.info_path()), fs::remove_dir_all(self.index())] {
            match gone {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        make(&self.index())
    }

    /// Writes the version file, after the index itself was created.
    pub(super) fn sign(&self) -> io::Result<()> {
        fs::write(self.info_path(), self.words())
    }

    /// Returns the time at which the index was created, as the mtime of its version file; `None` if that does
    /// not exist.
    pub(super) fn creation_time(&self) -> Option<SystemTime> {
        fs::metadata(self.info_path()).and_then(|about| about.modified()).ok()
    }

    fn info_path(&self) -> PathBuf {
        self.path.join("about")
    }

    fn words(&self) -> Vec<u8> {
        [VERSION.as_bytes(), b"\n", self.root.as_os_str().as_encoded_bytes(), b"\n"].concat()
    }
}

/// Creates a folder that only its owner can read, because the index contains words of the source.
pub(super) fn make(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
