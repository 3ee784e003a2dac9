//! Changes a file through the editor of the workspace.

use super::{WriteResult, check_current, hold};
use crate::leash::occupancy::RequestPlace;
use crate::workspace::editor::{Editor, UnsavedText, as_text, is_same_text, to_editor_form, to_file_form};
use crate::{Contents, FileError, Version, Workspace, WorkspacePath};

/// A change of a text file, with the text on disk before it.
struct Change<'a> {
    editor: &'a Editor,
    path: &'a WorkspacePath,
    disk: &'a str,
    new: &'a str,
    expected: Version,
}

impl Workspace {
    /// Replaces an existing text file through the editor. Returns `None` if the file has no unsaved changes and has to be
    /// written on disk: without an editor that writes, while a process can change the folders, or if it is not a text.
    pub(super) fn write_through(
        &self,
        path: &WorkspacePath,
        bytes: &[u8],
        expected: Version,
    ) -> Result<Option<WriteResult>, FileError> {
        let Some(editor) = &self.editor else { return Ok(None) };
        // The place is taken before the path is checked, so that the checked path stays the same.
        let request = RequestPlace::take(self.root());
        let place = self.find_place(path)?;
        let before = self.read_disk(path)?;
        let unsaved = editor.find_unsaved(before.path.relative(), before.version);
        if let Some(unsaved) = &unsaved
            && Version::compute(&unsaved.bytes) != expected
        {
            return Err(FileError::Stale { path: path.to_string() });
        }
        let on_disk = unsaved.as_ref().map_or(expected, |unsaved| unsaved.disk);
        // The lock lasts until the editor has written.
        let (_, _held) = check_current(&place, hold(&place)?, on_disk)?;
        let refuse = |reason, advice| match unsaved {
            Some(_) => Err(FileError::Unsaved { path: path.to_string(), reason, advice }),
            None => Ok(None),
        };
        if unsaved.is_some() && self.last_seen_version(&before.path) != Some(expected) {
            // The change was displayed and approved without the unsaved text.
            return refuse("they were not read in this session", Some("Call read_file on it first."));
        }
        if !editor.files.can_write() {
            return refuse("the editor does not let them be changed", Some("Ask the user to save the file."));
        }
        let (Some(disk), Some(new)) = (as_text(&before.bytes), as_text(bytes)) else {
            return refuse("the new content is not a text that the editor can have", None);
        };
        if request.is_none() {
            return refuse(
                "a process is running that can change the folder",
                Some("Wait for its end, or stop it."),
            );
        }
        let change = Change { editor, path: &before.path, disk, new, expected };
        if !change.send()? {
            return refuse("the editor does not answer", Some("Ask the user to save the file."));
        }
        let version = change.check(&self.read_disk(path)?)?;
        Ok(Some(WriteResult { path: place.path, version, folders: Vec::new(), is_durable: false }))
    }
}

impl Change<'_> {
    /// Sends the new text if the editor still has the expected one. Returns false if it does not answer.
    fn send(&self) -> Result<bool, FileError> {
        let Some(shown) = self.editor.files.read(self.path.relative()) else { return Ok(false) };
        let is_saved = is_same_text(&shown, self.disk);
        let bytes = if is_saved { self.disk.as_bytes().to_vec() } else { to_file_form(&shown, self.disk) };
        if Version::compute(&bytes) != self.expected {
            return Err(FileError::Stale { path: self.path.to_string() });
        }
        let text = to_editor_form(self.new, &shown);
        let written = self.editor.files.write(self.path.relative(), &text);
        written.map_err(|reason| self.confirmation_error(reason))?;
        Ok(true)
    }

    /// Checks that the editor has written the new text, and returns its version. An editor may form the text when it
    /// saves: the next change then finds the file changed.
    fn check(&self, now: &Contents) -> Result<Version, FileError> {
        let path = self.path.relative();
        self.editor.forget(path);
        if as_text(&now.bytes).is_some_and(|text| is_same_text(text, self.new)) {
            return Ok(now.version);
        }
        let bytes = self.new.as_bytes().to_vec();
        let version = Version::compute(&bytes);
        match self.editor.files.read(path) {
            Some(shown) if is_same_text(&shown, self.new) => {
                self.editor.remember(path, UnsavedText { disk: now.version, bytes });
            }
            _ if as_text(&now.bytes) == Some(self.disk) => {
                return Err(self.confirmation_error("the file is still the same".to_owned()));
            }
            _ => {}
        }
        Ok(version)
    }

    fn confirmation_error(&self, reason: String) -> FileError {
        FileError::Editor { path: self.path.to_string(), reason }
    }
}
