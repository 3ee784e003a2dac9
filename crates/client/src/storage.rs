//! Persistent storage of learned facts.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Storage for one small document, the facts of [`CapabilityStore`](crate::CapabilityStore). [`FileStorage`] keeps it in a file;
/// implement this trait to keep it elsewhere.
///
/// ```
/// use std::io;
/// use std::sync::Mutex;
/// use windlass_client::{CapabilityStore, Storage};
///
/// /// A place in memory.
/// #[derive(Default)]
/// struct Shelf(Mutex<Option<Vec<u8>>>);
///
/// impl Storage for Shelf {
///     fn read(&self) -> io::Result<Option<Vec<u8>>> {
///         Ok(self.0.lock().map_err(|_| io::Error::other("poisoned"))?.clone())
///     }
///     fn write(&self, document: &[u8]) -> io::Result<()> {
///         *self.0.lock().map_err(|_| io::Error::other("poisoned"))? = Some(document.to_vec());
///         Ok(())
///     }
///     fn set_aside(&self) -> io::Result<()> {
///         *self.0.lock().map_err(|_| io::Error::other("poisoned"))? = None;
///         Ok(())
///     }
/// }
///
/// assert_eq!(CapabilityStore::open(Shelf::default()).trouble(), None);
/// ```
pub trait Storage: Send + Sync {
    /// Returns the document, or `None` before the first write.
    ///
    /// # Errors
    /// If a document may exist and cannot be read.
    fn read(&self) -> io::Result<Option<Vec<u8>>>;

    /// Replaces the document atomically: a reader sees the old or the new document, never a part.
    ///
    /// # Errors
    /// If the document cannot be stored.
    fn write(&self, document: &[u8]) -> io::Result<()>;

    /// Moves a document that cannot be parsed aside, where a human can inspect it.
    ///
    /// # Errors
    /// If it cannot be moved. The caller does not overwrite it then.
    fn set_aside(&self) -> io::Result<()>;

    /// Locks out other writers until the value is dropped, so that read, change and write are one step. Waits
    /// for other writers. The default takes no lock, which is right for a storage that only one process uses.
    ///
    /// # Errors
    /// If the storage cannot be locked. The caller does not write to it then.
    fn lock(&self) -> io::Result<StorageLock> {
        Ok(StorageLock::none())
    }
}

/// Guard of a [`Storage`]'s lock. The lock ends when the guard is dropped or the process ends.
#[derive(Debug)]
pub struct StorageLock(#[expect(dead_code, reason = "the lock is held by the open file")] Option<File>);

impl StorageLock {
    /// Returns a guard without a lock, for a storage that only one process uses.
    pub fn none() -> Self {
        Self(None)
    }

    /// Locks a folder against all other callers of this function. Blocks until the lock is free.
    ///
    /// Locks the folder itself (`flock`), which leaves no file behind. Where a folder cannot be locked, as on
    /// NFS, it locks a file `.lock` in the folder.
    ///
    /// # Errors
    /// If neither can be locked.
    pub fn lock_folder(folder: &Path) -> io::Result<Self> {
        let locked = File::open(folder).and_then(|file| file.lock().map(|()| file));
        let file = if let Ok(file) = locked {
            file
        } else {
            let mut options = File::options();
            options.read(true).write(true).create(true).truncate(false);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let file = options.open(folder.join(".lock"))?;
            file.lock()?;
            file
        };
        Ok(Self(Some(file)))
    }
}

/// Storage in a file. Creates the folder of the file when it first locks or writes.
#[derive(Clone, Debug)]
pub struct FileStorage {
    path: PathBuf,
}

impl FileStorage {
    /// Returns the storage of the document at this path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns an unused path for a document that cannot be parsed.
    fn find_free_path(&self) -> PathBuf {
        let name = |ending: String| {
            let mut name = self.path.file_name().map(OsString::from).unwrap_or_default();
            name.push(ending);
            self.path.with_file_name(name)
        };
        let mut aside = name(".broken".to_owned());
        for number in 2_u32.. {
            if fs::symlink_metadata(&aside).is_err() {
                break;
            }
            aside = name(format!(".broken-{number}"));
        }
        aside
    }

    /// Returns the folder of the document; creates it, with mode 0700 on Unix, if it does not exist.
    fn folder(&self) -> io::Result<&Path> {
        let folder =
            self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        Ok(folder)
    }
}

impl Storage for FileStorage {
    fn read(&self) -> io::Result<Option<Vec<u8>>> {
        match fs::read(&self.path) {
            Ok(document) => Ok(Some(document)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn write(&self, document: &[u8]) -> io::Result<()> {
        let folder = self.folder()?;
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(document)?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }

    fn set_aside(&self) -> io::Result<()> {
        fs::rename(&self.path, self.find_free_path())
    }

    fn lock(&self) -> io::Result<StorageLock> {
        StorageLock::lock_folder(self.folder()?)
    }
}
