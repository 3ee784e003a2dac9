//! Reading of the stored document of facts about models.

use std::time::{SystemTime, UNIX_EPOCH};

use windlass_vendors::{CapabilityDocument, DocumentError};

use crate::Storage;

/// Permission to overwrite the stored document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WritePermission {
    Allowed,
    /// The document is of a newer version or cannot be read, and overwriting would lose it.
    Forbidden,
}

/// Returns the stored document, the permission to overwrite it and a description of the problem, if any. A
/// document that cannot be parsed is set aside under the lock, after a second read under that lock has
/// confirmed it.
pub(crate) fn read(storage: &dyn Storage) -> (Option<CapabilityDocument>, WritePermission, Option<String>) {
    match read_once(storage) {
        ReadOnce::Read(document, writing, trouble) => (document, writing, trouble),
        ReadOnce::Broken(broken) => match storage.lock() {
            Ok(_lock) => read_under_lock(storage),
            Err(error) => {
                let trouble = format!(
                    "the stored facts about models cannot be parsed ({broken}), and the file cannot be set aside: {error}"
                );
                (None, WritePermission::Forbidden, Some(trouble))
            }
        },
    }
}

/// Like [`read`], for a caller that holds the lock.
pub(crate) fn read_under_lock(
    storage: &dyn Storage,
) -> (Option<CapabilityDocument>, WritePermission, Option<String>) {
    let broken = match read_once(storage) {
        ReadOnce::Read(document, writing, trouble) => return (document, writing, trouble),
        ReadOnce::Broken(broken) => broken,
    };
    match storage.set_aside() {
        Ok(()) => {
            let trouble = format!(
                "the stored facts about models cannot be parsed ({broken}), and the file was set aside"
            );
            (None, WritePermission::Allowed, Some(trouble))
        }
        Err(error) => {
            let trouble = format!(
                "the stored facts about models cannot be parsed ({broken}), and the file cannot be set aside: {error}"
            );
            (None, WritePermission::Forbidden, Some(trouble))
        }
    }
}

/// Result of one read of the storage.
enum ReadOnce {
    Read(Option<CapabilityDocument>, WritePermission, Option<String>),
    /// A document that was read completely and cannot be parsed.
    Broken(DocumentError),
}

fn read_once(storage: &dyn Storage) -> ReadOnce {
    let document = match storage.read() {
        Ok(Some(document)) => document,
        Ok(None) => return ReadOnce::Read(None, WritePermission::Allowed, None),
        Err(error) => {
            let trouble = format!("the stored facts about models cannot be read: {error}");
            return ReadOnce::Read(None, WritePermission::Forbidden, Some(trouble));
        }
    };
    match CapabilityDocument::parse(&document) {
        Ok(document) => ReadOnce::Read(Some(document), WritePermission::Allowed, None),
        Err(DocumentError::Newer(version)) => {
            let trouble = format!(
                "the stored facts about models have the newer version {version}, and are not changed"
            );
            ReadOnce::Read(None, WritePermission::Forbidden, Some(trouble))
        }
        Err(error) => ReadOnce::Broken(error),
    }
}

/// Returns the time in seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
