//! A store of tokens in a folder.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};

use super::TokenStore;
use crate::hex::hex;

/// Maximum length of a file in bytes.
const MOST_BYTES: u64 = 256 * 1024;

/// A store of tokens in a folder, with one file for each server. On Unix the files, and a folder that the store
/// creates, are accessible to the user only. Files are replaced atomically.
///
/// ```
/// use windlass_mcp::{FileTokens, TokenStore};
/// let folder = tempfile::tempdir()?;
/// let tokens = FileTokens::new(folder.path().join("mcp"));
/// tokens.save("issues", &"secret".to_owned().into())?;
/// assert!(tokens.load("issues")?.is_some() && tokens.load("other")?.is_none());
/// tokens.clear("issues")?;
/// assert!(tokens.load("issues")?.is_none());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FileTokens {
    folder: PathBuf,
}

impl FileTokens {
    /// Creates a store in this folder. [`save`](TokenStore::save) creates the folder if it is missing.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the path of a key's file. The name is a hash, so that a key cannot contain a path.
    fn file(&self, key: &str) -> PathBuf {
        let digest = hex(&Sha256::digest(key.as_bytes()));
        self.folder.join(format!("{}.json", digest.get(..32).unwrap_or_default()))
    }
}

impl TokenStore for FileTokens {
    fn load(&self, key: &str) -> io::Result<Option<SecretString>> {
        let path = self.file(key);
        match fs::symlink_metadata(&path) {
            Ok(about) if about.is_file() && about.len() <= MOST_BYTES => {
                fs::read_to_string(&path).map(SecretString::from).map(Some)
            }
            Ok(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "the token file is not a regular file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn save(&self, key: &str, tokens: &SecretString) -> io::Result<()> {
        make_folder(&self.folder)?;
        // The temporary file is readable by the user only, and replaces the old file after it was written to
        // disk.
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(tokens.expose_secret().as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(self.file(key)).map_err(|error| error.error)?;
        Ok(())
    }

    fn clear(&self, key: &str) -> io::Result<()> {
        match fs::remove_file(self.file(key)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

#[cfg(unix)]
fn make_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}
