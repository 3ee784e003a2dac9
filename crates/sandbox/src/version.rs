//! Fingerprints of files, by which a later check detects a change.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::WorkspacePath;

/// The fingerprint of a file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version([u8; 32]);

impl Version {
    /// Computes the version of these bytes.
    pub fn compute(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Version {
    /// Writes the SHA-256 of the bytes in hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The versions that the model last saw of each file, by the file's real path (RULES E5).
#[derive(Debug, Default)]
pub(crate) struct SeenVersions(Mutex<HashMap<PathBuf, Version>>);

impl SeenVersions {
    pub(crate) fn note(&self, path: &WorkspacePath, version: Version) {
        // A panic cannot leave an insertion half done, so a poisoned map is still valid.
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert(path.relative().to_path_buf(), version);
    }

    pub(crate) fn get(&self, path: &WorkspacePath) -> Option<Version> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get(path.relative()).copied()
    }
}
