//! Where what was learned is kept between processes.

use std::ffi::OsString;
use std::fs;
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

    /// Where a document that cannot be understood is put.
    fn aside(&self) -> PathBuf {
        let mut name = self.path.file_name().map(OsString::from).unwrap_or_default();
        name.push(".broken");
        self.path.with_file_name(name)
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
        let folder =
            self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(document)?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }

    fn set_aside(&self) -> io::Result<()> {
        fs::rename(&self.path, self.aside())
    }
}
