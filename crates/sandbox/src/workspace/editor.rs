//! Files that an editor has open: their unsaved texts count instead of the files on disk.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Version;

/// Largest file that is read and written through an editor, in bytes.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// Largest size of all remembered unsaved texts, in bytes.
const MAX_UNSAVED_BYTES: usize = 32 * 1024 * 1024;

const BOM: &str = "\u{feff}";

/// The files of an editor, which can have changes that are not saved.
///
/// A path is relative to the root of the workspace, without links. Implementations end each request within a few
/// seconds, because a new process of the workspace waits for the end. The methods are called on threads that may block.
pub trait EditorFiles: fmt::Debug + Send + Sync {
    /// Returns the text of a file, with unsaved changes. Returns `None` if the editor does not answer or has no text for
    /// the path; the file on disk counts then.
    fn read(&self, path: &Path) -> Option<String>;

    /// Returns true if [`write`](Self::write) can be used.
    fn can_write(&self) -> bool;

    /// Replaces the text of a file, and saves the file.
    ///
    /// # Errors
    /// The reason why the editor did not confirm the change.
    fn write(&self, path: &Path, text: &str) -> Result<(), String>;
}

/// State of a file in an editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditorState {
    /// The editor has the text of the file on disk, or the workspace has no editor.
    Saved,
    /// The editor has another text than the file on disk.
    Unsaved,
    /// The editor was not asked, because a process that is running can change the folders of the workspace.
    Unknown,
}

/// An editor, with the unsaved texts that it reported.
#[derive(Debug)]
pub(crate) struct Editor {
    pub(crate) files: Arc<dyn EditorFiles>,
    unsaved: Mutex<HashMap<PathBuf, UnsavedText>>,
}

/// An unsaved text.
#[derive(Clone, Debug)]
pub(crate) struct UnsavedText {
    /// The version of the file on disk when the editor reported the text.
    pub(crate) disk: Version,
    /// The text, in the form of the file.
    pub(crate) bytes: Vec<u8>,
}

impl Editor {
    pub(crate) fn new(files: Arc<dyn EditorFiles>) -> Self {
        Self { files, unsaved: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, UnsavedText>> {
        self.unsaved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the unsaved text of a file whose bytes on disk have a version. After a change on disk the text does not
    /// count any more.
    pub(crate) fn find_unsaved(&self, path: &Path, disk: Version) -> Option<UnsavedText> {
        self.lock().get(path).filter(|unsaved| unsaved.disk == disk).cloned()
    }

    pub(crate) fn forget(&self, path: &Path) {
        self.lock().remove(path);
    }

    pub(crate) fn remember(&self, path: &Path, unsaved: UnsavedText) {
        let mut all = self.lock();
        all.insert(path.to_path_buf(), unsaved);
        let size = all.values().fold(0_usize, |sum, one| sum.saturating_add(one.bytes.len()));
        if size > MAX_UNSAVED_BYTES {
            // Each tool asks again before it uses a text, so only displayed differences get lost.
            all.retain(|known, _| known == path);
        }
    }
}

/// Returns the text of a file that an editor can show as text without a loss.
pub(crate) fn as_text(bytes: &[u8]) -> Option<&str> {
    if bytes.len() > MAX_TEXT_BYTES || bytes.contains(&0) {
        return None;
    }
    std::str::from_utf8(bytes).ok()
}

/// Returns true if two texts differ at most in their byte order marks and line ends. Editors hold neither in a text.
pub(crate) fn is_same_text(one: &str, other: &str) -> bool {
    let plain = |text: &str| text.trim_start_matches(BOM).replace("\r\n", "\n");
    one == other || plain(one) == plain(other)
}

/// Returns the text of an editor in the form of the file: with its byte order mark and its line ends.
pub(crate) fn to_file_form(text: &str, file: &str) -> Vec<u8> {
    let mut text = text.to_owned();
    if has_only_crlf(file) && !text.contains('\r') {
        text = text.replace('\n', "\r\n");
    }
    if file.starts_with(BOM) && !text.starts_with(BOM) {
        text.insert_str(0, BOM);
    }
    text.into_bytes()
}

/// Returns the new text of a file in the form in which the editor returned the old one.
pub(crate) fn to_editor_form(text: &str, shown: &str) -> String {
    let text = if shown.starts_with(BOM) { text } else { text.trim_start_matches(BOM) };
    if shown.contains('\r') { text.to_owned() } else { text.replace("\r\n", "\n") }
}

fn has_only_crlf(text: &str) -> bool {
    let (all, pairs) = (text.matches('\n').count(), text.matches("\r\n").count());
    all > 0 && all == pairs
}

#[cfg(test)]
mod tests;
