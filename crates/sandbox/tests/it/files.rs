//! Opening, reading, listing and writing.

use std::fs;

use tempfile::{TempDir, tempdir};
use windlass_sandbox::{
    Access, ExpectedState, FileError, Kind, MAX_FILE_BYTES, Version, Workspace, WorkspaceError,
};

fn workspace() -> (TempDir, Workspace) {
    let folder = tempdir().unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    (folder, workspace)
}

#[test]
fn an_unopenable_workspace_reports_the_reason() {
    let folder = tempdir().unwrap();
    let missing = Workspace::open(folder.path().join("none")).unwrap_err();
    assert!(matches!(missing, WorkspaceError::Missing { .. }), "{missing}");
    fs::write(folder.path().join("file"), "x").unwrap();
    let file = Workspace::open(folder.path().join("file")).unwrap_err();
    assert!(matches!(file, WorkspaceError::NotAFolder { .. }), "{file}");
    // The try for writing leaves nothing behind.
    Workspace::open(folder.path()).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

// SECURITY "Files": atomic, the mode is kept, nothing else stays in the folder.
#[test]
fn a_write_replaces_the_file_and_leaves_nothing_else() {
    let (folder, workspace) = workspace();
    let path = workspace.resolve("deep/er/a.txt").unwrap();
    let made = workspace.write(&path, b"one", ExpectedState::Absent).unwrap();
    assert_eq!(made.version, Version::compute(b"one"));
    let on_disk = folder.path().join("deep/er/a.txt");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&on_disk, fs::Permissions::from_mode(0o751)).unwrap();
    }
    workspace.write(&path, b"two", ExpectedState::Unchanged(made.version)).unwrap();
    assert_eq!(fs::read(&on_disk).unwrap(), b"two");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&on_disk).unwrap().permissions().mode() & 0o7777, 0o751);
    }
    assert_eq!(fs::read_dir(on_disk.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn a_write_on_something_else_than_expected_is_refused() {
    let (folder, workspace) = workspace();
    let path = workspace.resolve("a.txt").unwrap();
    let made = workspace.write(&path, b"one", ExpectedState::Absent).unwrap();
    let again = workspace.write(&path, b"two", ExpectedState::Absent);
    assert!(matches!(again, Err(FileError::Exists { .. })), "{again:?}");
    fs::write(folder.path().join("a.txt"), "other").unwrap();
    let stale = workspace.write(&path, b"two", ExpectedState::Unchanged(made.version));
    assert!(matches!(stale, Err(FileError::Stale { .. })), "{stale:?}");
    let removed = workspace.remove(&path, made.version);
    assert!(matches!(removed, Err(FileError::Stale { .. })), "{removed:?}");
    assert_eq!(fs::read(folder.path().join("a.txt")).unwrap(), b"other");
    workspace.remove(&path, Version::compute(b"other")).unwrap();
    assert!(matches!(workspace.read(&path), Err(FileError::NotFound { .. })));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn nothing_is_written_where_only_reading_was_granted() {
    let folder = tempdir().unwrap();
    let outputs = tempdir().unwrap();
    fs::write(outputs.path().join("call_1.txt"), "spilled").unwrap();
    let workspace =
        Workspace::open_for(folder.path(), Access::ReadOnly).unwrap().with_outputs(outputs.path());
    let refused = workspace.write(&workspace.resolve("a").unwrap(), b"", ExpectedState::Absent);
    assert!(matches!(refused, Err(FileError::ReadOnly { .. })), "{refused:?}");
    let output = workspace.resolve("@outputs/call_1.txt").unwrap();
    assert_eq!(workspace.read(&output).unwrap().bytes, b"spilled");
    let workspace = Workspace::open(folder.path()).unwrap();
    assert!(matches!(workspace.read(&output), Err(FileError::NoOutputs { .. })));
    let refused = workspace.write(&output, b"", ExpectedState::Absent);
    assert!(matches!(refused, Err(FileError::ReadOnly { .. })), "{refused:?}");
}

#[test]
fn listings_are_sorted_and_contain_the_kind() {
    let (folder, workspace) = workspace();
    fs::create_dir(folder.path().join("b")).unwrap();
    fs::write(folder.path().join("c"), "").unwrap();
    fs::write(folder.path().join("a"), "").unwrap();
    let listed = workspace.list(&workspace.resolve(".").unwrap(), 10).unwrap().entries;
    let listed: Vec<_> = listed.iter().map(|entry| (entry.name.to_str().unwrap(), entry.kind)).collect();
    assert_eq!(listed, [("a", Kind::File), ("b", Kind::Folder), ("c", Kind::File)]);
    let refused = workspace.list(&workspace.resolve("a").unwrap(), 10);
    assert!(matches!(refused, Err(FileError::NotAFolder { .. })), "{refused:?}");
}

#[test]
fn a_file_over_the_limit_is_refused_by_its_length() {
    let (folder, workspace) = workspace();
    let file = fs::File::create(folder.path().join("large")).unwrap();
    file.set_len(MAX_FILE_BYTES + 1).unwrap();
    let refused = workspace.read(&workspace.resolve("large").unwrap());
    assert!(matches!(refused, Err(FileError::TooLarge { .. })), "{refused:?}");
}

// H3
#[test]
fn effect_paths_are_lexical() {
    let (folder, workspace) = workspace();
    let inside = folder.path().join("x/../y.rs");
    assert_eq!(workspace.effect_path(&inside.to_string_lossy()), "y.rs");
    assert_eq!(workspace.effect_path("a//./b"), "a/b");
    assert_eq!(workspace.effect_path("../x"), "../x");
    assert_eq!(workspace.effect_path("/etc/passwd"), "/etc/passwd");
    assert_eq!(workspace.effect_path("@outputs/a.txt"), "@outputs/a.txt");
}

#[test]
fn the_version_that_was_seen_is_remembered_by_real_path() {
    let (_folder, workspace) = workspace();
    let path = workspace.resolve("a/../b").unwrap();
    assert_eq!(workspace.last_seen_version(&path), None);
    workspace.remember(&path, Version::compute(b"x"));
    assert_eq!(workspace.last_seen_version(&workspace.resolve("b").unwrap()), Some(Version::compute(b"x")));
}

// security 8: a file beside a `HEAD` that has one of git's names belongs to a repository, in any folder.
#[test]
fn files_of_a_bare_repository_are_recognized_by_their_location() {
    let (folder, workspace) = workspace();
    let is_inside = |path: &str| workspace.target(path, windlass_sandbox::Look::Place).in_repository;
    fs::create_dir_all(folder.path().join("docs/refs")).unwrap();
    for path in ["docs/config", "docs/refs/x", "docs/objects/a"] {
        assert!(!is_inside(path), "{path} is ordinary without a HEAD");
    }
    fs::write(folder.path().join("docs/HEAD"), "ref: refs/heads/main\n").unwrap();
    for path in
        ["docs/config", "docs/refs/x", "docs/objects/a/b", "docs/hooks/pre-commit", "./docs/commondir"]
    {
        assert!(is_inside(path), "{path}");
    }
    for path in ["docs/a.md", "config", "docs/deep/config", "src/HEAD/config"] {
        assert!(!is_inside(path), "{path}");
    }
    std::os::unix::fs::symlink("docs", folder.path().join("alias")).unwrap();
    assert!(is_inside("alias/config"), "the place decides, and not the way to it");
}
