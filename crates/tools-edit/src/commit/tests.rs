//! A file that changes between the check and the write: earlier writes of the call are undone.
#![expect(clippy::disallowed_methods, reason = "the tests change files from outside")]

use std::fs;
use std::path::Path;

use tempfile::tempdir;

use super::*;
use crate::effort::Effort;
use crate::patch::parse;
use crate::planned::plan;

const PATCH: &str = "*** Begin Patch\n*** Add File: new/deep/a\n+a\n*** Update File: b\n@@\n-b\n+x\n*** Update File: c\n*** Move to: moved/c\n@@\n-c\n+y\n*** Delete File: d\n*** Delete File: e\n*** End Patch";

fn files(root: &Path) -> Vec<(String, Vec<u8>, u32)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.push((path.display().to_string(), Vec::new(), 0));
            found.extend(files(&path));
            continue;
        }
        #[cfg(unix)]
        let mode = std::os::unix::fs::PermissionsExt::mode(&path.metadata().unwrap().permissions());
        #[cfg(not(unix))]
        let mode = 0;
        found.push((path.display().to_string(), fs::read(&path).unwrap(), mode));
    }
    found.sort();
    found
}

#[track_caller]
fn check(disturb: impl Fn(&Path), words: &str) {
    let folder = tempdir().unwrap();
    for name in ["b", "c", "d", "e"] {
        fs::write(folder.path().join(name), format!("{name}\n")).unwrap();
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder.path().join("d"), fs::Permissions::from_mode(0o750)).unwrap();
    }
    let workspace = Workspace::open(folder.path()).unwrap();
    let planned = plan(&workspace, parse(PATCH).unwrap(), &Effort::default()).unwrap();
    disturb(folder.path());
    let before = files(folder.path());
    let told = commit(&workspace, &planned, &CancellationToken::new()).unwrap_err();
    assert!(told.problem.contains(words), "{told}");
    assert_eq!(files(folder.path()), before);
}

// F54
#[test]
fn written_files_are_rolled_back_if_a_later_step_fails() {
    let nothing = "nothing was changed";
    check(|root| fs::write(root.join("e"), "other").unwrap(), nothing);
    check(|root| fs::write(root.join("d"), "other").unwrap(), nothing);
    check(|root| fs::write(root.join("c"), "other").unwrap(), nothing);
    check(|root| fs::write(root.join("b"), "other").unwrap(), nothing);
    check(|root| fs::remove_file(root.join("e")).unwrap(), nothing);
    check(|root| fs::write(root.join("moved"), "in the way").unwrap(), nothing);
    check(|root| fs::create_dir_all(root.join("new/deep/a")).unwrap(), nothing);
}

#[test]
fn changes_that_cannot_be_rolled_back_are_reported() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("d"), "d").unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    let before = workspace.read(&workspace.resolve("d").unwrap()).unwrap();
    let (path, error) = (before.path.clone(), FileError::Root);
    // Another process created a file in the place of the removed one.
    let told = roll_back(&workspace, vec![Undo::PutBack(before, ExpectedState::Absent)], error.into());
    assert!(told.problem.contains(&format!("`{path}` could not be put back")), "{told}");
}

#[test]
fn a_plan_of_a_stopped_call_changes_no_file() {
    let folder = tempdir().unwrap();
    for name in ["b", "c", "d", "e"] {
        fs::write(folder.path().join(name), format!("{name}\n")).unwrap();
    }
    let workspace = Workspace::open(folder.path()).unwrap();
    let planned = plan(&workspace, parse(PATCH).unwrap(), &Effort::default()).unwrap();
    let before = files(folder.path());
    let stop = CancellationToken::new();
    stop.cancel();
    let told = commit(&workspace, &planned, &stop).unwrap_err();
    assert_eq!(told.problem, "the call was stopped; nothing was changed");
    assert_eq!(files(folder.path()), before);
}
