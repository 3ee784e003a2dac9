//! Tests of the conditions under which a watch is reliable.

use std::fs;
use std::fs::FileTimes;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use windlass_redact::Redactor;
use windlass_sandbox::Workspace;
use windlass_tool::PathGate;

use super::Watch;
use crate::place::Place;

/// Sets times long before the check, so that they count as reliable.
fn age(path: &Path) {
    let old = FileTimes::new().set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000));
    fs::File::open(path).unwrap().set_times(old).unwrap();
}

/// Checks an old workspace, changes something, and checks again. Returns the files if the watch is still valid.
#[track_caller]
fn check(change: &dyn Fn(&Path), expected: Option<&[(&str, u64)]>) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("src/deep")).unwrap();
    fs::create_dir_all(root.join(".git/info")).unwrap();
    for (name, text) in
        [("src/a.rs", "one"), ("src/deep/b.rs", "two"), (".gitignore", "target\n"), ("target", "")]
    {
        fs::write(root.join(name), text).unwrap();
    }
    for name in ["src/deep", "src", "."] {
        age(&root.join(name));
    }
    let workspace = Workspace::open_for(root, windlass_sandbox::Access::ReadOnly).unwrap();
    let place = Place {
        workspace: &workspace,
        redactor: Redactor::default(),
        gate: PathGate::default(),
        stopped: &|| false,
    };
    let mut watch = Watch::look(&place);
    let before = watch.files.clone();
    assert!(watch.is_still_so());
    assert_eq!(watch.files, before);
    change(root);
    let holds = watch.is_still_so();
    let files: Vec<_> = watch.files.iter().map(|seen| (seen.file.as_str(), seen.stamp.len)).collect();
    assert_eq!(holds.then_some(files.as_slice()), expected);
}

#[test]
fn a_watch_follows_what_is_written_in_place_and_ends_with_all_else() {
    check(&|_| {}, Some(&[("src/a.rs", 3), ("src/deep/b.rs", 3)]));
    check(
        &|root| fs::write(root.join("src/a.rs"), "longer").unwrap(),
        Some(&[("src/a.rs", 6), ("src/deep/b.rs", 3)]),
    );
    check(
        &|root| fs::write(root.join("target"), "ignored").unwrap(),
        Some(&[("src/a.rs", 3), ("src/deep/b.rs", 3)]),
    );
    check(&|root| fs::write(root.join("src/deep/c.rs"), "new").unwrap(), None);
    check(&|root| fs::remove_file(root.join("src/a.rs")).unwrap(), None);
    check(&|root| fs::rename(root.join("src/a.rs"), root.join("src/deep/a.rs")).unwrap(), None);
    check(&|root| fs::remove_dir_all(root.join("src/deep")).unwrap(), None);
    check(&|root| fs::write(root.join(".gitignore"), "deep\n").unwrap(), None);
    check(&|root| fs::write(root.join("src/.ignore"), "deep\n").unwrap(), None);
    check(&|root| fs::write(root.join(".git/info/exclude"), "deep\n").unwrap(), None);
}

#[test]
fn a_folder_that_changed_just_now_is_walked_again() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.rs"), "one").unwrap();
    let workspace = Workspace::open_for(folder.path(), windlass_sandbox::Access::ReadOnly).unwrap();
    let place = Place {
        workspace: &workspace,
        redactor: Redactor::default(),
        gate: PathGate::default(),
        stopped: &|| false,
    };
    assert!(!Watch::look(&place).is_still_so());
}
