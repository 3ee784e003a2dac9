//! `LibraryFolder`: a folder of Markdown files that a person wrote for the model.

use std::error::Error;
use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use windlass_sandbox::{FileError, Kind, SettingsOwner, Workspace, WorkspaceError, WorkspacePath};

/// The maximum number of directory entries that are read.
const MAX_NAMES: usize = 2_000;
const MAX_NAME: usize = 64;
/// The largest file, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// A file that is not offered, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OmittedFile {
    /// The label of the folder, and the file in it.
    pub file: String,
    /// The reason.
    pub why: String,
}

impl fmt::Display for OmittedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is left out: {}", self.file, self.why)
    }
}

/// A directory entry: its path, its name and its kind.
pub(crate) type Named = (WorkspacePath, String, Kind);

/// A folder with skills or commands, opened read-only. Neither a name nor a link can lead out of it.
#[derive(Clone, Debug)]
pub(crate) struct LibraryFolder {
    pub(crate) label: String,
    pub(crate) workspace: Arc<Workspace>,
}

impl LibraryFolder {
    /// Opens a folder and lists its entries, sorted. Returns `None` if the folder does not exist. A user's folder may be
    /// a link. A project's folder behind a link is refused, because the link could make any file of the machine text
    /// for the model.
    pub(crate) fn open(
        label: &str,
        folder: &Path,
        owner: SettingsOwner<'_>,
    ) -> Result<Option<(Self, Vec<Named>)>, OmittedFile> {
        let left_out = |error: String| OmittedFile { file: label.to_owned(), why: error };
        let workspace = match Workspace::open_settings(folder, owner) {
            Ok(workspace) => Arc::new(workspace),
            Err(WorkspaceError::Missing { .. }) => return Ok(None),
            Err(error) => {
                let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
                return Err(left_out(format!("{error}{cause}")));
            }
        };
        let listing = workspace.list(&WorkspacePath::root(), MAX_NAMES);
        let entries = listing.map_err(|error| left_out(error.to_string()))?.entries.into_iter();
        let named = entries.filter_map(|entry| {
            let name = entry.name.to_str().filter(|name| !name.starts_with('.'))?.to_owned();
            let path = WorkspacePath::root().join(&entry.name);
            // A link inside the user's folder counts as its target. A link that leads out of it stays a link and
            // is reported.
            let kind = match entry.kind {
                Kind::Link if owner == SettingsOwner::User => workspace.kind(&path).unwrap_or(Kind::Link),
                kind => kind,
            };
            Some((path, name, kind))
        });
        let named = named.collect();
        Ok(Some((Self { label: label.to_owned(), workspace }, named)))
    }

    /// Returns a file's text, or an error message if it cannot be read or is not UTF-8.
    pub(crate) fn text(&self, path: &WorkspacePath) -> Result<String, String> {
        let file = self.workspace.stream(path).map_err(|error: FileError| error.to_string())?;
        let mut bytes = Vec::new();
        // One byte more than the limit finds a file that grows.
        file.take(MAX_BYTES.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| format!("`{path}` cannot be read: {error}"))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(format!("`{path}` has more than {MAX_BYTES} bytes"));
        }
        String::from_utf8(bytes).map_err(|_| format!("`{path}` is not UTF-8 text"))
    }

    pub(crate) fn left_out(&self, path: &WorkspacePath, why: impl fmt::Display) -> OmittedFile {
        OmittedFile { file: format!("{}: {path}", self.label), why: why.to_string() }
    }
}

/// The reason for a link that is not followed.
pub(crate) const LEADS_OUT: &str =
    "it is a link that leads out of the folder or to nothing, or a project's link; copy what it leads to";

/// Returns true if a model can write the name and a human can recognise it: letters, digits, `-`, `_`,
/// `:` and `.`, at most 64, with a letter or digit first.
pub(crate) fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.');
    let first = name.as_bytes().first();
    name.len() <= MAX_NAME && first.is_some_and(u8::is_ascii_alphanumeric) && name.bytes().all(plain)
}
