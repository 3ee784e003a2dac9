//! Restoring the files of a checkpoint.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use windlass_checkpoint::{CheckpointError, ForeignChanges, SkipReason};
use windlass_testkit::{Need, require};

use crate::scene;

#[test]
fn restore_changes_only_what_differs() {
    let scene = require!(Need::Git, scene());
    scene.write("changed", "one\n");
    scene.write("deep/er/deleted", "here\n");
    scene.write("same", "same\n");
    scene.write("binary", [0, 159, 146, 150]);
    scene.write("was_file", "file\n");
    scene.write("was_folder/inside", "inside\n");
    symlink("same", scene.work.join("link")).unwrap();
    symlink("/nowhere/at all", scene.work.join("dangling")).unwrap();
    let odd = OsStr::from_bytes(b"odd \xff\n\"name\\");
    fs::write(scene.work.join(odd), "odd\n").unwrap();
    let before = scene.take();
    let untouched = fs::metadata(scene.work.join("same")).unwrap().modified().unwrap();

    scene.write("changed", "two\n");
    fs::remove_dir_all(scene.work.join("deep")).unwrap();
    scene.write("binary", [0, 1]);
    scene.remove("was_file");
    scene.write("was_file/now/a/folder", "x");
    fs::remove_dir_all(scene.work.join("was_folder")).unwrap();
    scene.write("was_folder", "now a file\n");
    scene.remove("link");
    symlink("changed", scene.work.join("link")).unwrap();
    scene.remove("dangling");
    scene.write("dangling", "a file\n");
    fs::write(scene.work.join(odd), "other\n").unwrap();
    scene.write("made/since", "new\n");
    scene.take();

    let restored = scene.checkpoints.restore(&before, ForeignChanges::Refuse).unwrap();
    assert_eq!(restored.kept, [], "{restored:?}");
    assert_eq!(restored.removed, ["made/since", "was_file/now/a/folder", "was_folder"]);
    assert_eq!(restored.written.len(), 8, "{restored:?}");
    assert_eq!(scene.since(&before), "");
    assert_eq!(scene.read("deep/er/deleted"), "here\n");
    assert_eq!(scene.read("was_file"), "file\n");
    assert_eq!(scene.read("was_folder/inside"), "inside\n");
    assert_eq!(fs::read_link(scene.work.join("link")).unwrap(), OsStr::new("same"));
    assert_eq!(fs::read_link(scene.work.join("dangling")).unwrap(), OsStr::new("/nowhere/at all"));
    assert_eq!(fs::read(scene.work.join(odd)).unwrap(), b"odd\n");
    assert!(!scene.work.join("made").exists());
    assert_eq!(fs::metadata(scene.work.join("same")).unwrap().modified().unwrap(), untouched);

    // The state before a restore is a checkpoint, too, and can be restored.
    scene.checkpoints.restore(&restored.undo.unwrap(), ForeignChanges::Refuse).unwrap();
    assert_eq!((scene.read("changed"), scene.read("made/since")), ("two\n".to_owned(), "new\n".to_owned()));
}

#[test]
fn programs_are_programs_again_and_other_mode_bits_stay() {
    let scene = require!(Need::Git, scene());
    let mode = |path: &str| fs::metadata(scene.work.join(path)).unwrap().permissions().mode() & 0o7777;
    let set = |path: &str, mode| {
        fs::set_permissions(scene.work.join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    for path in ["run", "plain", "private", "gone"] {
        scene.write(path, "one\n");
    }
    set("run", 0o755);
    set("gone", 0o755);
    set("private", 0o600);
    let before = scene.take();
    set("run", 0o644);
    set("plain", 0o755);
    scene.write("private", "two\n");
    scene.remove("gone");
    let diff = scene.since(&before);
    assert!(diff.contains("old mode 100755\nnew mode 100644"), "{diff}");
    scene.take();
    scene.checkpoints.restore(&before, ForeignChanges::Refuse).unwrap();
    assert_eq!((mode("run"), mode("plain") & 0o111, mode("private")), (0o755, 0, 0o600));
    assert_eq!(mode("gone") & 0o100, 0o100);
    assert_eq!(scene.since(&before), "");
}

// A restore does not silently undo changes of others since the last checkpoint.
#[test]
fn files_that_another_program_changed_are_refused_kept_or_overwritten() {
    let scene = require!(Need::Git, scene());
    scene.write("ours", "one\n");
    scene.write("theirs", "one\n");
    let before = scene.take();
    scene.write("ours", "two\n");
    scene.take();
    scene.write("theirs", "by a person\n");
    scene.write("new", "by a person\n");
    let refused = scene.checkpoints.restore(&before, ForeignChanges::Refuse).unwrap_err();
    assert!(matches!(&refused, CheckpointError::Foreign { paths } if paths == &["theirs"]), "{refused}");
    assert_eq!(scene.read("ours"), "two\n");

    let foreseen = scene.checkpoints.preview_restore(&before, ForeignChanges::Keep).unwrap();
    assert_eq!((foreseen.written.as_slice(), foreseen.undo), (&["ours".to_owned()][..], None));
    assert_eq!(scene.read("ours"), "two\n");
    let kept = scene.checkpoints.restore(&before, ForeignChanges::Keep).unwrap();
    assert_eq!((&kept.written, &kept.kept), (&foreseen.written, &foreseen.kept));
    let why: Vec<_> = kept.kept.iter().map(|kept| (kept.path.as_str(), kept.why.clone())).collect();
    assert_eq!(why, [("new", SkipReason::Unknown), ("theirs", SkipReason::Foreign)]);
    assert_eq!((scene.read("ours"), scene.read("theirs")), ("one\n".to_owned(), "by a person\n".to_owned()));

    scene.write("theirs", "again by a person\n");
    let done = scene.checkpoints.restore(&before, ForeignChanges::Overwrite).unwrap();
    assert_eq!(scene.read("theirs"), "one\n");
    // The undo checkpoint of the previous restore contains the file, so it can be removed.
    assert_eq!(done.removed, ["new"]);
    scene.checkpoints.restore(&done.undo.unwrap(), ForeignChanges::Refuse).unwrap();
    assert_eq!(scene.read("theirs"), "again by a person\n");
}

// A link in the place of a folder is not followed.
#[test]
fn nothing_is_restored_through_a_link() {
    let scene = require!(Need::Git, scene());
    scene.write("folder/file", "one\n");
    scene.write("other", "one\n");
    let before = scene.take();
    let outside = scene.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "outside").unwrap();
    fs::remove_dir_all(scene.work.join("folder")).unwrap();
    symlink(&outside, scene.work.join("folder")).unwrap();
    scene.write("other", "two\n");
    scene.take();
    let restored = scene.checkpoints.restore(&before, ForeignChanges::Refuse).unwrap();
    assert_eq!(fs::read(outside.join("file")).unwrap(), b"outside");
    // The link itself is removed, and the folder is restored.
    assert_eq!(restored.removed, ["folder"]);
    assert_eq!((scene.read("folder/file"), scene.read("other")), ("one\n".to_owned(), "one\n".to_owned()));

    // A link that no checkpoint contains stays, and so does its target.
    fs::remove_dir_all(scene.work.join("folder")).unwrap();
    symlink(&outside, scene.work.join("folder")).unwrap();
    let kept = scene.checkpoints.restore(&before, ForeignChanges::Overwrite).unwrap();
    assert_eq!(fs::read(outside.join("file")).unwrap(), b"outside");
    assert!(kept.kept.iter().any(|kept| kept.path == "folder/file"), "{kept:?}");
}
