//! Files that existed at a checkpoint but are not in it: a restore loses none of them.

use std::fs;
use std::path::Path;
use std::process::Command;

use windlass_checkpoint::{
    CheckpointLimits, Checkpoints, DiffEnd, ForeignChanges, RestoreResult, SkipReason,
};
use windlass_testkit::{Need, require};

use crate::{Scene, opened, scene};

#[track_caller]
fn check_kept(restored: &RestoreResult, paths: &[&str]) {
    let kept: Vec<_> = restored.kept.iter().map(|kept| (kept.path.as_str(), &kept.why)).collect();
    assert_eq!(
        kept,
        paths.iter().map(|path| (*path, &SkipReason::Unknown)).collect::<Vec<_>>(),
        "{restored:?}"
    );
}

/// Checkpoints of the same workspace that keep files of at most 1,000 bytes.
fn small(scene: &Scene) -> Checkpoints {
    let limits = CheckpointLimits::default().with_file_bytes(1000);
    opened(&scene.work, &scene.folder.path().join("small")).unwrap().with_limits(limits)
}

// correctness 2: the agent rewrites .gitignore, so that ignored files become visible.
#[test]
fn files_ignored_at_the_checkpoint_are_not_removed() {
    let scene = require!(Need::Git, scene());
    scene.write(".gitignore", "data.db\nbuild/\n*.log\n");
    for path in ["data.db", "build/deep/out.o", "deep/a.log", "node_modules/p/i.js"] {
        scene.write(path, "of the user\n");
    }
    let before = scene.take();
    scene.write(".gitignore", "nothing\n");
    scene.write("made.txt", "made since\n");
    scene.take();
    let wanted = ["build/deep/out.o", "data.db", "deep/a.log"];
    let foreseen = scene.checkpoints.preview_restore(&before, ForeignChanges::Refuse).unwrap();
    check_kept(&foreseen, &wanted);
    let restored = scene.checkpoints.restore(&before, ForeignChanges::Refuse).unwrap();
    check_kept(&restored, &wanted);
    assert_eq!((restored.removed, restored.written), (vec!["made.txt".into()], vec![".gitignore".into()]));
    assert_eq!(scene.read("data.db"), "of the user\n");
    // Another process reads the names from the disk.
    let other = opened(&scene.work, &scene.state()).unwrap();
    scene.write(".gitignore", "nothing\n");
    other.take("again").unwrap();
    check_kept(&other.restore(&before, ForeignChanges::Overwrite).unwrap(), &wanted);
    assert_eq!(scene.read("build/deep/out.o"), "of the user\n");
}

#[test]
fn files_too_large_or_unreadable_at_the_checkpoint_are_not_removed() {
    let scene = require!(Need::Git, scene());
    let checkpoints = small(&scene);
    scene.write("large", vec![b'x'; 1001]);
    scene.write("small", "x");
    let before = checkpoints.take("before").unwrap().checkpoint.id;
    scene.write("large", "short now\n");
    checkpoints.take("after").unwrap();
    let diff = checkpoints.diff(&before, DiffEnd::Now).unwrap().text;
    assert!(diff.contains("large cannot be compared") && !diff.contains("new file"), "{diff}");
    let restored = checkpoints.restore(&before, ForeignChanges::Refuse).unwrap();
    check_kept(&restored, &["large"]);
    assert_eq!(scene.read("large"), "short now\n");
}

// The undo checkpoint could not contain the present bytes of such a file, so a restore does not overwrite it.
#[test]
fn files_that_grew_too_large_are_neither_reported_as_deleted_nor_overwritten() {
    let scene = require!(Need::Git, scene());
    let checkpoints = small(&scene);
    scene.write("grows", "short\n");
    scene.write("other", "one\n");
    let before = checkpoints.take("before").unwrap().checkpoint.id;
    scene.write("grows", vec![b'x'; 1001]);
    scene.write("other", "two\n");
    let after = checkpoints.take("after").unwrap().checkpoint.id;
    for until in [DiffEnd::Now, DiffEnd::Checkpoint(&after)] {
        let diff = checkpoints.diff(&before, until).unwrap().text;
        assert!(diff.starts_with("grows cannot be compared") && !diff.contains("deleted file"), "{diff}");
        assert!(diff.ends_with("@@ -1 +1 @@\n-one\n+two\n"), "{diff}");
    }
    let restored = checkpoints.restore(&before, ForeignChanges::Refuse).unwrap();
    check_kept(&restored, &["grows"]);
    assert_eq!((scene.read("grows").len(), scene.read("other")), (1001, "one\n".to_owned()));
    // A deleted file is reported as deleted, and is restored.
    scene.remove("grows");
    assert!(checkpoints.diff(&before, DiffEnd::Now).unwrap().text.contains("deleted file"));
    assert_eq!(checkpoints.restore(&before, ForeignChanges::Overwrite).unwrap().written, ["grows"]);
}

/// The last checkpoint as an earlier version took it: with the label alone for its message.
fn without_record(state: &Path) {
    let git = |words: &[&str]| {
        let done =
            Command::new("git").arg("--git-dir").arg(state.join("repository")).args(words).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    };
    let name = ["-c", "user.name=windlass", "-c", "user.email=windlass@localhost"];
    let commit = git(&[&name[..], &["commit-tree", "checkpoints^{tree}", "-m", "of old"]].concat());
    git(&["update-ref", "refs/heads/checkpoints", &commit]);
}

// It is unknown whether a file existed then, so nothing is removed.
#[test]
fn a_checkpoint_of_an_earlier_version_is_readable_and_removes_nothing() {
    let scene = require!(Need::Git, scene());
    scene.write("a", "one\n");
    scene.take();
    without_record(&scene.state());
    let old = scene.checkpoints.list().unwrap().pop().unwrap();
    assert_eq!(old.label, "of old");
    scene.write("a", "two\n");
    scene.write("b", "new\n");
    scene.take();
    assert!(scene.since(&old.id).contains("-one\n+two\n"));
    let restored = scene.checkpoints.restore(&old.id, ForeignChanges::Refuse).unwrap();
    check_kept(&restored, &["b"]);
    assert_eq!((scene.read("a"), fs::read(scene.work.join("b")).unwrap()), ("one\n".into(), b"new\n".into()));
}
