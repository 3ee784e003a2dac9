//! The editor of a workspace: its unsaved texts.

use std::sync::Arc;

use super::editor::{Editor, UnsavedText, as_text, is_same_text, to_file_form};
use crate::leash::occupancy::RequestPlace;
use crate::{EditorFiles, EditorState, Version, Workspace, WorkspacePath};

impl Workspace {
    /// Sets the editor that has files of the workspace open. Existing text files are then read and changed through it.
    ///
    /// Paths are checked before the editor is asked, and the editor is not asked while a confined process is running that
    /// can write the workspace: it opens files by name, and the process could exchange a folder for a link.
    pub fn with_editor(mut self, files: Arc<dyn EditorFiles>) -> Self {
        self.editor = Some(Editor::new(files));
        self
    }

    /// Asks the editor for the text of a file. If the editor has unsaved changes, [`read`](Self::read) and
    /// [`target`](Self::target) use its text from now on, until the file on disk changes or the editor is asked again.
    ///
    /// Call this after policy has permitted the access. The call blocks until the editor answers.
    ///
    /// ```
    /// use std::path::Path;
    /// use std::sync::Arc;
    /// use windlass_sandbox::{EditorFiles, EditorState, Workspace};
    ///
    /// #[derive(Debug)]
    /// struct Draft;
    ///
    /// impl EditorFiles for Draft {
    ///     fn read(&self, _: &Path) -> Option<String> {
    ///         Some("one\ntwo\n".to_owned())
    ///     }
    ///     fn can_write(&self) -> bool {
    ///         false
    ///     }
    ///     fn write(&self, _: &Path, _: &str) -> Result<(), String> {
    ///         Err("not supported".to_owned())
    ///     }
    /// }
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("a.txt"), "one\n")?;
    /// let workspace = Workspace::open(folder.path())?.with_editor(Arc::new(Draft));
    /// let path = workspace.resolve("a.txt")?;
    /// assert_eq!(workspace.consult_editor(&path), EditorState::Unsaved);
    /// assert_eq!(workspace.read(&path)?.bytes, b"one\ntwo\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn consult_editor(&self, path: &WorkspacePath) -> EditorState {
        let Some(editor) = self.editor.as_ref().filter(|_| !path.is_output()) else {
            return EditorState::Saved;
        };
        // The place is taken before the path is checked, so that the checked path stays the same.
        let place = RequestPlace::take(&self.root);
        // The operation that follows reports the errors.
        let Ok(disk) = self.read_disk(path) else { return EditorState::Saved };
        let Some(text) = as_text(&disk.bytes) else { return EditorState::Saved };
        if place.is_none() {
            return EditorState::Unknown;
        }
        let path = disk.path.relative();
        match editor.files.read(path) {
            Some(shown) if !is_same_text(&shown, text) => {
                let bytes = to_file_form(&shown, text);
                editor.remember(path, UnsavedText { disk: disk.version, bytes });
                EditorState::Unsaved
            }
            _ => {
                editor.forget(path);
                EditorState::Saved
            }
        }
    }

    /// Returns the unsaved text of a file that has a version on disk.
    pub(crate) fn find_unsaved(&self, real: &WorkspacePath, disk: Version) -> Option<UnsavedText> {
        self.editor.as_ref().filter(|_| !real.is_output())?.find_unsaved(real.relative(), disk)
    }
}
