//! Where what was learned is kept between processes.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A place for one small document. Whoever has no disk keeps it elsewhere, or gives no place at all.
///
/// ```
/// use std::io;
/// use std::sync::Mutex;
/// use windlass_client::{Facts, Storage};
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
/// assert_eq!(Facts::open(Shelf::default()).trouble(), None);
/// ```
pub trait Storage: Send + Sync {
    /// The document; none if there is none yet.
    ///
    /// # Errors
    /// If there may be one, but it cannot be read.
    fn read(&self) -> io::Result<Option<Vec<u8>>>;

    /// Puts a document in the place of the one before. Whoever reads meets the one or the other, never a half.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn write(&self, document: &[u8]) -> io::Result<()>;

    /// Puts a document that cannot be understood out of the way, where a human can look at it.
    ///
    /// # Errors
    /// If it cannot be moved. It is not written over then.
    fn set_aside(&self) -> io::Result<()>;

    /// Keeps other writers out until the value is dropped, so that a document can be read, changed and written as one
    /// step. Waits for other writers. A place that only one process uses needs no lock and can leave this out.
    ///
    /// # Errors
    /// If the place cannot be locked. It is not written to then.
    fn lock(&self) -> io::Result<StorageLock> {
        Ok(StorageLock::none())
    }
}

/// The right to change what is in a [`Storage`]. It ends when the value is dropped, or with the process.
#[derive(Debug)]
pub struct StorageLock(#[expect(dead_code, reason = "the lock is held by the open file")] Option<File>);

impl StorageLock {
    /// No lock, for a place that only one process uses.
    pub fn none() -> Self {
        Self(None)
    }

    /// Locks a folder against everybody else who calls this; waits for them.
    ///
    /// The folder itself is locked (`flock`), so nothing is left behind. Where a folder cannot be locked, as on NFS, a
    /// file `.lock` inside it is.
    ///
    /// # Errors
    /// If neither can be locked.
    pub fn of_folder(folder: &Path) -> io::Result<Self> {
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

/// A document in a file. Its folder is made when it is first written.
#[derive(Clone, Debug)]
pub struct FileStorage {
    path: PathBuf,
}

impl FileStorage {
    /// The document at this path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where a document that cannot be understood is put: under a name that no earlier one has.
    fn aside(&self) -> PathBuf {
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

    /// The folder of the document, which is made if it is not there.
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
        fs::rename(&self.path, self.aside())
    }

    fn lock(&self) -> io::Result<StorageLock> {
        StorageLock::of_folder(self.folder()?)
    }
}
