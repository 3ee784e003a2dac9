//! A workspace whose files an editor has open.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::TempDir;
use windlass_sandbox::{
    Confinement, EditorFiles, EditorState, ExpectedState, FileError, Helper, Level, Look, Version, Workspace,
};

/// The treatment of a text that an editor receives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Saving {
    #[default]
    Saves,
    Formats,
    KeepsUnsaved,
    Ignores,
    Refuses,
    CannotWrite,
}

/// An editor with texts that differ from the files on disk.
#[derive(Debug, Default)]
struct Buffers {
    root: PathBuf,
    saving: Saving,
    texts: Mutex<BTreeMap<PathBuf, String>>,
    requests: Mutex<Vec<PathBuf>>,
}

impl Buffers {
    fn set(&self, path: &str, text: &str) {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).insert(path.into(), text.to_owned());
    }

    fn requests(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

impl EditorFiles for Buffers {
    fn read(&self, path: &Path) -> Option<String> {
        self.requests.lock().unwrap().push(path.to_path_buf());
        let open = self.texts.lock().unwrap().get(path).cloned();
        // An editor shows line feeds only.
        open.or_else(|| {
            std::fs::read_to_string(self.root.join(path)).ok().map(|text| text.replace("\r\n", "\n"))
        })
    }

    fn can_write(&self) -> bool {
        self.saving != Saving::CannotWrite
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), String> {
        self.requests.lock().unwrap().push(path.to_path_buf());
        let file = self.root.join(path);
        match self.saving {
            Saving::Saves => {
                self.texts.lock().unwrap().remove(path);
                std::fs::write(file, text).map_err(|error| error.to_string())
            }
            Saving::Formats => {
                self.texts.lock().unwrap().remove(path);
                std::fs::write(file, format!("{text}// formatted\n")).map_err(|error| error.to_string())
            }
            Saving::KeepsUnsaved => {
                self.texts.lock().unwrap().insert(path.to_path_buf(), text.to_owned());
                Ok(())
            }
            Saving::Ignores => Ok(()),
            Saving::Refuses | Saving::CannotWrite => Err("the buffer is locked".to_owned()),
        }
    }
}

struct Place {
    folder: TempDir,
    editor: Arc<Buffers>,
    workspace: Workspace,
}

impl Place {
    fn new(saving: Saving) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("a.txt"), "disk\n").unwrap();
        let editor = Arc::new(Buffers { root: root.clone(), saving, ..Buffers::default() });
        let workspace = Workspace::open(&root).unwrap().with_editor(editor.clone());
        Self { folder, editor, workspace }
    }

    /// Reads a file as `read_file` does.
    fn show(&self, name: &str) -> (EditorState, String, Version) {
        let path = self.workspace.resolve(name).unwrap();
        let state = self.workspace.consult_editor(&path);
        let contents = self.workspace.read(&path).unwrap();
        self.workspace.remember(&contents.path, contents.version);
        (state, String::from_utf8(contents.bytes).unwrap(), contents.version)
    }

    fn write(&self, name: &str, text: &str, version: Version) -> Result<Version, FileError> {
        let path = self.workspace.resolve(name).unwrap();
        let written = self.workspace.write(&path, text.as_bytes(), ExpectedState::Unchanged(version))?;
        Ok(written.version)
    }

    fn disk(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap()
    }
}

#[test]
fn an_unsaved_text_is_read_changed_and_saved() {
    let place = Place::new(Saving::Saves);
    place.editor.set("a.txt", "typed\n");
    let before = place.workspace.target("a.txt", Look::Bytes).digest;
    let (state, text, version) = place.show("a.txt");
    assert_eq!((state, text.as_str()), (EditorState::Unsaved, "typed\n"));
    // An approval of a change depends on the unsaved text, too.
    let digest = place.workspace.target("a.txt", Look::Bytes).digest;
    assert_ne!(digest, before);
    assert_eq!(digest, Some(version.to_string()));

    let written = place.write("a.txt", "typed\nmore\n", version).unwrap();
    assert_eq!(written, Version::compute(b"typed\nmore\n"));
    assert_eq!(place.disk("a.txt"), "typed\nmore\n");
    assert_eq!(place.show("a.txt"), (EditorState::Saved, "typed\nmore\n".to_owned(), written));
}

#[test]
fn a_text_that_changes_in_the_editor_is_stale() {
    let place = Place::new(Saving::Saves);
    let (state, _, version) = place.show("a.txt");
    assert_eq!(state, EditorState::Saved);
    place.editor.set("a.txt", "typed meanwhile\n");
    let refused = place.write("a.txt", "new\n", version);
    assert!(matches!(refused, Err(FileError::Stale { .. })), "{refused:?}");
    assert_eq!(place.disk("a.txt"), "disk\n");

    // The same holds for a second change of an unsaved text.
    let (_, _, version) = place.show("a.txt");
    place.editor.set("a.txt", "typed again\n");
    let refused = place.write("a.txt", "new\n", version);
    assert!(matches!(refused, Err(FileError::Stale { .. })), "{refused:?}");
}

#[test]
fn unsaved_changes_that_were_not_read_are_not_changed() {
    let place = Place::new(Saving::Saves);
    place.editor.set("a.txt", "typed\n");
    let path = place.workspace.resolve("a.txt").unwrap();
    assert_eq!(place.workspace.consult_editor(&path), EditorState::Unsaved);
    let version = place.workspace.read(&path).unwrap().version;
    let refused = place.write("a.txt", "new\n", version).unwrap_err();
    assert!(refused.advice().is_some_and(|advice| advice == "Call read_file on it first."), "{refused}");
    let gone = place.workspace.remove(&path, version);
    assert!(matches!(gone, Err(FileError::Stale { .. })), "{gone:?}");
    assert_eq!(place.disk("a.txt"), "disk\n");
}

#[test]
fn paths_that_the_workspace_refuses_never_reach_the_editor() {
    let place = Place::new(Saving::Saves);
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("key"), "secret\n").unwrap();
    std::os::unix::fs::symlink(outside.path(), place.folder.path().join("out")).unwrap();
    std::fs::create_dir(place.folder.path().join(".git")).unwrap();
    std::fs::write(place.folder.path().join(".git/config"), "[core]\n").unwrap();
    std::os::unix::fs::symlink(".git/config", place.folder.path().join("notes")).unwrap();
    assert!(place.workspace.resolve("../key").is_err());
    for name in ["out/key", "notes", "missing.txt"] {
        let path = place.workspace.resolve(name).unwrap();
        assert_eq!(place.workspace.consult_editor(&path), EditorState::Saved);
        let version = Version::compute(b"secret\n");
        place.workspace.write(&path, b"changed\n", ExpectedState::Unchanged(version)).unwrap_err();
    }
    assert_eq!(place.editor.requests(), 0);
    assert_eq!(std::fs::read_to_string(outside.path().join("key")).unwrap(), "secret\n");
}

#[test]
fn the_editor_is_not_asked_while_a_process_can_write_the_workspace() {
    let place = Place::new(Saving::Saves);
    place.editor.set("a.txt", "typed\n");
    let (_, _, version) = place.show("a.txt");
    let asked = place.editor.requests();
    let root = place.folder.path().canonicalize().unwrap();
    let start = |confinement: Confinement| {
        let helper = Helper::new("windlass-confine");
        let started = confinement.command_with_leash(Level::Landlock, &helper, &root, "/bin/true", [""; 0]);
        started.unwrap().1.unwrap()
    };
    let leash = start(Confinement::new().with_writable(&root));
    // The text that was reported before still counts, and cannot be changed.
    let (state, text, _) = place.show("a.txt");
    assert_eq!((state, text.as_str()), (EditorState::Unknown, "typed\n"));
    let refused = place.write("a.txt", "new\n", version).unwrap_err();
    assert!(refused.to_string().contains("a process is running"), "{refused}");
    // A file without unsaved changes is written on disk.
    std::fs::write(root.join("b.txt"), "one\n").unwrap();
    let (state, _, version) = place.show("b.txt");
    assert_eq!(state, EditorState::Unknown);
    place.write("b.txt", "two\n", version).unwrap();
    assert_eq!(place.disk("b.txt"), "two\n");
    assert_eq!(place.editor.requests(), asked);
    drop(leash);

    // A process that only reads does not exclude the editor.
    let _reading = start(Confinement::new().with_readable(&root));
    let (state, _, version) = place.show("a.txt");
    assert_eq!(state, EditorState::Unsaved);
    place.write("a.txt", "new\n", version).unwrap();
    assert_eq!(place.disk("a.txt"), "new\n");
}

#[test]
fn an_editor_may_format_or_keep_a_text_and_must_not_lose_it() {
    let place = Place::new(Saving::Formats);
    let (_, _, version) = place.show("a.txt");
    let written = place.write("a.txt", "new\n", version).unwrap();
    // The next change finds a text that the model has not seen.
    assert_ne!(place.show("a.txt").2, written);

    let place = Place::new(Saving::KeepsUnsaved);
    let (_, _, version) = place.show("a.txt");
    let written = place.write("a.txt", "new\n", version).unwrap();
    assert_eq!(place.disk("a.txt"), "disk\n");
    assert_eq!(place.show("a.txt"), (EditorState::Unsaved, "new\n".to_owned(), written));

    for saving in [Saving::Ignores, Saving::Refuses] {
        let place = Place::new(saving);
        let (_, _, version) = place.show("a.txt");
        let refused = place.write("a.txt", "new\n", version);
        assert!(matches!(refused, Err(FileError::Editor { .. })), "{saving:?}: {refused:?}");
    }
}

#[test]
fn an_editor_that_only_reads_keeps_its_unsaved_changes() {
    let place = Place::new(Saving::CannotWrite);
    let (_, _, version) = place.show("a.txt");
    place.write("a.txt", "new\n", version).unwrap();
    assert_eq!(place.disk("a.txt"), "new\n");
    place.editor.set("a.txt", "typed\n");
    let (_, _, version) = place.show("a.txt");
    let refused = place.write("a.txt", "newer\n", version).unwrap_err();
    assert_eq!(refused.advice().as_deref(), Some("Ask the user to save the file."), "{refused}");
    assert_eq!(place.disk("a.txt"), "new\n");
}

#[test]
fn different_line_endings_are_not_an_unsaved_change() {
    let place = Place::new(Saving::Saves);
    std::fs::write(place.folder.path().join("w.txt"), "one\r\ntwo\r\n").unwrap();
    let (state, text, _) = place.show("w.txt");
    assert_eq!((state, text.as_str()), (EditorState::Saved, "one\r\ntwo\r\n"));
    place.editor.set("w.txt", "one\ntyped\n");
    let (state, text, version) = place.show("w.txt");
    assert_eq!((state, text.as_str()), (EditorState::Unsaved, "one\r\ntyped\r\n"));
    place.write("w.txt", "one\r\ntyped\r\nmore\r\n", version).unwrap();
    // This editor saves the text that it receives, and it receives the form that it showed.
    assert_eq!(place.disk("w.txt"), "one\ntyped\nmore\n");
}
