//! Paths that a checkpoint left out. Without this record, a file that existed and was left out looks like a
//! file that was created later.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::CheckpointError;
use crate::git::Git;
use crate::object::Oid;
use crate::tree;

/// Prefix of the last line of a commit message; the id of the blob with the paths follows.
const MARK: &str = "left-out ";
const FILE: u8 = b'f';
const FOLDER: u8 = b'd';

/// Paths that existed when a checkpoint was taken and are not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OmittedPaths {
    /// Files that were ignored, too large, secret by their names, or unreadable.
    pub(crate) files: BTreeSet<PathBuf>,
    /// Folders that were not walked, with everything in them.
    pub(crate) folders: BTreeSet<PathBuf>,
}

impl OmittedPaths {
    /// Returns true if the path was left out, or may have existed in a folder that was.
    pub(crate) fn has(&self, path: &Path) -> bool {
        self.files.contains(path) || path.ancestors().any(|above| self.folders.contains(above))
    }

    /// Serializes the paths for a blob: for each a letter for the kind, the path, and a zero byte.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let files = self.files.iter().map(|path| (FILE, path));
        let mut bytes = Vec::new();
        for (kind, path) in files.chain(self.folders.iter().map(|path| (FOLDER, path))) {
            bytes.push(kind);
            bytes.extend(path.as_os_str().as_encoded_bytes());
            bytes.push(0);
        }
        bytes
    }

    fn parse(bytes: &[u8]) -> Self {
        let mut omitted = Self::default();
        for entry in bytes.split(|byte| *byte == 0) {
            match entry.split_first() {
                Some((&FILE, path)) => drop(omitted.files.insert(tree::path_of(path))),
                Some((&FOLDER, path)) => drop(omitted.folders.insert(tree::path_of(path))),
                _ => {}
            }
        }
        omitted
    }

    /// Returns the paths that a checkpoint left out, or `None` for a checkpoint of an earlier version, which
    /// has no record of them.
    pub(crate) fn read(git: &Git, commit: Oid) -> Result<Option<Self>, CheckpointError> {
        const STEP: &str = "log";
        let commit = commit.to_string();
        let message =
            git.ask(STEP, [STEP, "-1", "--no-show-signature", "--format=%B", &commit, "--"], u64::MAX)?;
        let message = String::from_utf8_lossy(&message);
        let Some(names) = split(&message).1 else { return Ok(None) };
        Ok(tree::blobs(git, &[names])?.pop().map(|bytes| Self::parse(&bytes)))
    }
}

/// Returns the commit message for a label and the blob with the paths.
pub(crate) fn message(label: &str, names: Oid) -> String {
    format!("{label}\n\n{MARK}{names}\n")
}

/// Splits a commit message into the label and the id of the blob with the paths.
pub(crate) fn split(message: &str) -> (&str, Option<Oid>) {
    let message = message.trim_end_matches('\n');
    let last = message.lines().next_back().unwrap_or_default();
    let names = last.strip_prefix(MARK).and_then(|name| Oid::parse(name.as_bytes()));
    let label = if names.is_some() && last.len() == message.len() { "" } else { message };
    (label.lines().next().unwrap_or_default(), names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omitted_paths_and_labels_round_trip() {
        let set = |paths: &[&str]| paths.iter().map(PathBuf::from).collect();
        let omitted = OmittedPaths { files: set(&["a\nb", "c/.env"]), folders: set(&["", "target"]) };
        assert_eq!(OmittedPaths::parse(&omitted.to_bytes()), omitted);
        let oid = Oid::hash_blob(&omitted.to_bytes());
        for label in ["", "before turn 1", "left-out of it"] {
            assert_eq!(split(&message(label, oid)), (label, Some(oid)));
            assert_eq!(split(label), (label, None));
        }
    }

    #[test]
    fn files_of_an_omitted_folder_are_omitted() {
        let omitted = OmittedPaths::parse(b"dtarget\0fa.log\0");
        let has = |path: &str| omitted.has(Path::new(path));
        assert_eq!(
            [has("target/x/y"), has("a.log"), has("targets"), has("a.log2")],
            [true, true, false, false]
        );
    }
}
