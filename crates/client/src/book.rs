//! Reading of the stored document of facts about models.

use std::time::{SystemTime, UNIX_EPOCH};

use windlass_vendors::{CapabilityDocument, DocumentError};

use crate::Storage;

/// Permission to overwrite the stored document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writing {
    Allowed,
    /// The document is of a newer version or cannot be read, and overwriting would lose it.
    Forbidden,
}

/// Returns the stored document, the permission to overwrite it and a description of the problem, if any. A
/// document that cannot be parsed is set aside under the lock, after a second read under that lock has
/// confirmed it.
pub(crate) fn read(storage: &dyn Storage) -> (Option<CapabilityDocument>, Writing, Option<String>) {
    match look(storage) {
        Look::Read(document, writing, trouble) => (document, writing, trouble),
        Look::Broken(broken) => match storage.lock() {
            Ok(_lock) => read_locked(storage),
            Err(error) => {
                let trouble =
                    format!("what was learned cannot be understood ({broken}), nor set aside: {error}");
                (None, Writing::Forbidden, Some(trouble))
            }
        },
    }
}

/// Like [`read`], for a caller that holds the lock.
pub(crate) fn read_locked(storage: &dyn Storage) -> (Option<CapabilityDocument>, Writing, Option<String>) {
    let broken = match look(storage) {
        Look::Read(document, writing, trouble) => return (document, writing, trouble),
        Look::Broken(broken) => broken,
    };
    match storage.set_aside() {
        Ok(()) => {
            let trouble = format!("what was learned cannot be understood ({broken}), and was set aside");
            (None, Writing::Allowed, Some(trouble))
        }
        Err(error) => {
            let trouble = format!("what was learned cannot be understood ({broken}), nor set aside: {error}");
            (None, Writing::Forbidden, Some(trouble))
        }
    }
}

/// Result of one read of the storage.
enum Look {
    Read(Option<CapabilityDocument>, Writing, Option<String>),
    /// A document that was read completely and cannot be parsed.
    Broken(DocumentError),
}

fn look(storage: &dyn Storage) -> Look {
    let document = match storage.read() {
        Ok(Some(document)) => document,
        Ok(None) => return Look::Read(None, Writing::Allowed, None),
        Err(error) => {
            let trouble = format!("what was learned cannot be read: {error}");
            return Look::Read(None, Writing::Forbidden, Some(trouble));
        }
    };
    match CapabilityDocument::parse(&document) {
        Ok(document) => Look::Read(Some(document), Writing::Allowed, None),
        Err(DocumentError::Newer(version)) => {
            let trouble = format!("what was learned is of the newer version {version}, and is left alone");
            Look::Read(None, Writing::Forbidden, Some(trouble))
        }
        Err(error) => Look::Broken(error),
    }
}

/// Returns the time in seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
