//! The folder of an index: one for each workspace, for its owner only, with a lock and a note of its version.
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

/// Raised whenever what the index holds changes its meaning; an index of another version is made anew.
const VERSION: &str = "windlass-index 3";

/// The folder of one workspace's index.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    root: PathBuf,
}

impl Folder {
    /// The folder below `all` that belongs to the workspace at `root`.
    pub(super) fn new(all: &Path, root: &Path) -> Self {
        let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
        let mut key = String::new();
        for byte in digest.iter().take(16) {
            // Writing into a string cannot fail.
            let _ = write!(key, "{byte:02x}");
        }
        Self { path: all.join(key), root: root.to_path_buf() }
    }

    /// Whether a folder, that need not be there yet, lies inside a workspace, links on its way followed.
    pub(super) fn lies_inside(all: &Path, root: &Path) -> bool {
        let real = all.ancestors().find_map(|above| fs::canonicalize(above).ok().map(|real| (above, real)));
        real.is_some_and(|(above, real)| {
            real.join(all.strip_prefix(above).unwrap_or(Path::new(""))).starts_with(root)
        })
    }

    /// What was paid for stays where the index is made anew.
    pub(super) fn vectors(&self) -> PathBuf {
        self.path.join("vectors")
    }

    pub(super) fn index(&self) -> PathBuf {
        self.path.join("index")
    }

    /// Takes the lock if nobody has it. It is released when the file is dropped, also by a crash.
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

    /// Whether something is there, of whatever version.
    pub(super) fn exists(&self) -> bool {
        fs::exists(self.index()).unwrap_or(false)
    }

    /// Whether what is there was made by this version for this workspace.
    pub(super) fn is_own(&self) -> bool {
        fs::read(self.about()).is_ok_and(|about| about == self.words())
    }

    /// Removes what is there and makes room. Only who has the lock does so.
    pub(super) fn clear(&self) -> io::Result<()> {
        for gone in [fs::remove_file(self.about()), fs::remove_dir_all(self.index())] {
            match gone {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        make(&self.index())
    }

    /// Notes the version, after the index itself was made.
    pub(super) fn sign(&self) -> io::Result<()> {
        fs::write(self.about(), self.words())
    }

    /// When the index was made, by the note of its version; `None` if none is there.
    pub(super) fn created_at(&self) -> Option<SystemTime> {
        fs::metadata(self.about()).and_then(|about| about.modified()).ok()
    }

    fn about(&self) -> PathBuf {
        self.path.join("about")
    }

    fn words(&self) -> Vec<u8> {
        [VERSION.as_bytes(), b"\n", self.root.as_os_str().as_encoded_bytes(), b"\n"].concat()
    }
}

/// Makes a folder that only its owner reads: the index holds the words of the source.
pub(super) fn make(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
