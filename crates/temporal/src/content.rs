//! Storage of large values by content hash.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;

use crate::ContentHash;

/// The pending result of a [`ContentStore`].
pub type ContentFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, ContentError>> + Send + 'a>>;

/// A store of values by content hash, which all workers and clients of a run share. Temporal refuses values
/// above 2 MiB, so the history contains the hashes of large values, and this store contains the values.
///
/// A stored value never changes, so an implementation can cache it.
pub trait ContentStore: Send + Sync {
    /// Stores a value, if it is not stored yet, and returns its hash. The value must be durable
    /// when the future ends.
    fn put(&self, content: Vec<u8>) -> ContentFuture<'_, ContentHash>;

    /// Returns a stored value.
    fn get(&self, hash: ContentHash) -> ContentFuture<'_, Vec<u8>>;
}

/// The reason why a value cannot be stored or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContentError {
    /// The store does not contain the value.
    #[error("the store does not contain the value {0}")]
    Missing(ContentHash),
    /// The stored bytes do not have the hash under which they are stored.
    #[error("the stored value {0} is damaged")]
    Damaged(ContentHash),
    /// The store cannot be reached.
    #[error("the store of large values failed")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// A content store in a folder, for workers on one machine or with a shared file system.
#[derive(Clone, Debug)]
pub struct FolderContentStore {
    folder: PathBuf,
}

impl FolderContentStore {
    /// Creates a store in this folder, which is created when the first value is stored.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, hash: &ContentHash) -> PathBuf {
        let (prefix, rest) = hash.as_str().split_at(2.min(hash.as_str().len()));
        self.folder.join(prefix).join(rest)
    }
}

impl ContentStore for FolderContentStore {
    fn put(&self, content: Vec<u8>) -> ContentFuture<'_, ContentHash> {
        Box::pin(async move {
            let hash = ContentHash::compute(&content);
            let path = self.path(&hash);
            let write = move || write_durably(&path, &content);
            let written = tokio::task::spawn_blocking(write).await;
            written.map_err(to_store_error)?.map_err(to_store_error)?;
            Ok(hash)
        })
    }

    fn get(&self, hash: ContentHash) -> ContentFuture<'_, Vec<u8>> {
        Box::pin(async move {
            if !hash.is_valid() {
                return Err(ContentError::Missing(hash));
            }
            let content = match tokio::fs::read(self.path(&hash)).await {
                Ok(content) => content,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    return Err(ContentError::Missing(hash));
                }
                Err(error) => return Err(to_store_error(error)),
            };
            if ContentHash::compute(&content) == hash {
                Ok(content)
            } else {
                Err(ContentError::Damaged(hash))
            }
        })
    }
}

fn to_store_error(error: impl std::error::Error + Send + Sync + 'static) -> ContentError {
    ContentError::Store(Box::new(error))
}

/// Writes a file under a temporary name, syncs it and renames it, so that no reader sees a part of it.
fn write_durably(path: &Path, content: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    static WRITES: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    if path.exists() {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let number = WRITES.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let temporary = path.with_extension(format!("{}-{number}", std::process::id()));
    let mut file = std::fs::File::create(&temporary)?;
    file.write_all(content)?;
    file.sync_all()?;
    std::fs::rename(&temporary, path)?;
    std::fs::File::open(folder)?.sync_all()
}
