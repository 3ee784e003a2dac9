//! Stored files, and the reports about changes to them.

use std::fs;

use windlass_checkpoint::{CheckpointError, CheckpointLimits, Checkpoints, DiffEnd};
use windlass_testkit::{Need, require};

use crate::{opened, scene};

#[test]
fn a_diff_is_net_and_names_what_moved() {
    let scene = require!(Need::Git, scene());
    scene.write("same.txt", "same\n");
    scene.write("back.txt", "one\n");
    scene.write("moved.txt", "a\nb\nc\nd\ne\nf\n");
    scene.write("gone.txt", "gone\n");
    let before = scene.take();
    scene.write("back.txt", "two\n");
    let between = scene.take();
    scene.write("back.txt", "one\n");
    fs::rename(scene.work.join("moved.txt"), scene.work.join("deep.txt")).unwrap();
    scene.remove("gone.txt");
    scene.write("deep/new.txt", "new\n");
    let diff = scene.since(&before);
    for part in [
        "rename from moved.txt\nrename to deep.txt\n",
        "deleted file mode 100644",
        "--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n",
        "--- /dev/null\n+++ b/deep/new.txt\n@@ -0,0 +1 @@\n+new\n",
    ] {
        assert!(diff.contains(part), "{part:?} is not in {diff}");
    }
    assert!(!diff.contains("back.txt") && !diff.contains("same.txt"), "{diff}");
    let first = scene.checkpoints.diff(&before, DiffEnd::Checkpoint(&between)).unwrap();
    assert!(first.text.ends_with("@@ -1 +1 @@\n-one\n+two\n") && !first.is_cut, "{first:?}");
    assert!(scene.checkpoints.diff(&before, DiffEnd::Checkpoint(&before)).unwrap().is_empty());
}

// Equal workspaces have equal tree hashes, and each checkpoint has its own entry in the list.
#[test]
fn checkpoints_are_listed_in_order_and_equal_ones_have_one_tree() {
    let scene = require!(Need::Git, scene());
    assert_eq!(scene.checkpoints.list().unwrap(), []);
    let empty = scene.checkpoints.take("before\nturn 1").unwrap().checkpoint;
    let again = scene.checkpoints.take("before turn 2").unwrap().checkpoint;
    scene.write("a", "a");
    let other = scene.checkpoints.take("before turn 3").unwrap().checkpoint;
    assert_eq!(empty.tree, again.tree);
    assert_ne!(again.tree, other.tree);
    let listed = scene.checkpoints.list().unwrap();
    assert_eq!(listed[1..], [again, other]);
    assert_eq!((listed[0].id, listed[0].label.as_str()), (empty.id, "beforeturn 1"));
    // Another process sees the same checkpoints, and continues with them.
    let theirs = opened(&scene.work, &scene.state()).unwrap();
    assert_eq!(theirs.list().unwrap(), listed);
    scene.write("b", "b");
    let next = theirs.take("theirs").unwrap().checkpoint;
    assert!(scene.since(&next.id).is_empty());
    assert_eq!(scene.checkpoints.take("ours").unwrap().checkpoint.tree, next.tree);
}

#[test]
fn an_unknown_commit_is_not_a_checkpoint() {
    let scene = require!(Need::Git, scene());
    let id = scene.take();
    let other = "f".repeat(64).parse().unwrap();
    for unknown in [
        scene.checkpoints.diff(&other, DiffEnd::Now),
        scene.checkpoints.diff(&id, DiffEnd::Checkpoint(&other)),
    ] {
        assert!(matches!(unknown, Err(CheckpointError::NotFound { .. })), "{unknown:?}");
    }
    for text in ["", "HEAD", "--help", &"+".repeat(64), &"f".repeat(63)] {
        assert!(matches!(
            text.parse::<windlass_checkpoint::CheckpointId>(),
            Err(CheckpointError::NotFound { .. })
        ));
    }
}

#[test]
fn ignored_files_and_secrets_are_left_out() {
    let scene = require!(Need::Git, scene());
    scene.write(".gitignore", "made/\n*.log\n/only_here\n");
    scene.write("deep/.gitignore", "!kept.log\ninner\n");
    scene.write(".git/info/exclude", "private\n");
    for path in ["only_here", "deep/er/inner", "deep/er/private", "deep/er/x.log"] {
        scene.write(path, "1");
    }
    for path in ["deep/only_here", "inner", "deep/er/kept.log"] {
        scene.write(path, "1");
    }
    scene.write("made/a", "1");
    scene.write("x.log", "1");
    scene.write(".env", "KEY=1");
    scene.write("deep/server.pem", "1");
    scene.write("node_modules/p/index.js", "1");
    scene.write("cache/CACHEDIR.TAG", "1");
    scene.write("cache/a", "1");
    scene.write(".github/ci.yml", "1");
    let taken = scene.checkpoints.take("first").unwrap();
    assert_eq!(taken.left_out.secrets, 2);
    for path in ["made/a", "x.log", ".env", "deep/server.pem", "node_modules/p/index.js", "cache/a"] {
        scene.write(path, "2");
    }
    assert_eq!(scene.since(&taken.checkpoint.id), "");
    for path in ["only_here", "deep/er/inner", "deep/er/private", "deep/er/x.log"] {
        scene.write(path, "2");
    }
    assert_eq!(scene.since(&taken.checkpoint.id), "");
    let kept = [".github/ci.yml", "deep/only_here", "inner", "deep/er/kept.log"];
    for path in kept {
        scene.write(path, "2");
    }
    let diff = scene.since(&taken.checkpoint.id);
    assert_eq!(diff.matches("diff --git").count(), kept.len(), "{diff}");
}

// An ignore rule that is added later does not hide files that were stored before.
#[test]
fn tracked_files_stay_tracked_after_an_ignore_rule_is_added() {
    let scene = require!(Need::Git, scene());
    scene.write("src/a.rs", "one\n");
    let before = scene.take();
    scene.write(".gitignore", "*\n");
    scene.write("src/a.rs", "two\n");
    scene.write("src/b.rs", "new\n");
    let diff = scene.since(&before);
    assert!(diff.contains("-one\n+two\n") && !diff.contains("b.rs"), "{diff}");
}

#[test]
fn binary_files_are_named_and_large_ones_left_out() {
    let scene = require!(Need::Git, scene());
    scene.write("picture", b"\0one");
    let before = scene.take();
    scene.write("picture", b"\0two");
    assert!(scene.since(&before).contains("Binary files a/picture and b/picture differ"));

    let small = CheckpointLimits::default().with_file_bytes(1000);
    let other = scene.folder.path().join("small");
    let checkpoints = Checkpoints::open(&scene.work, other).unwrap().with_limits(small);
    scene.write("large", vec![b'x'; 1001]);
    scene.write("just", vec![b'x'; 1000]);
    let taken = checkpoints.take("one").unwrap();
    assert_eq!(taken.left_out.too_large, 1);
    scene.write("large", vec![b'y'; 1001]);
    scene.write("just", vec![b'y'; 1000]);
    let diff = checkpoints.diff(&taken.checkpoint.id, DiffEnd::Now).unwrap().text;
    assert!(diff.contains("just") && !diff.contains("large"));
    let few = checkpoints.with_limits(small.with_files(1)).take("two").unwrap_err();
    assert!(matches!(few, CheckpointError::TooMuch { what: "files", limit: 1 }), "{few}");
}

#[test]
fn a_long_diff_is_cut_at_a_line() {
    let scene = require!(Need::Git, scene());
    let before = scene.take();
    scene.write("long", "twenty bytes a line\n".repeat(100_000));
    let diff = scene.checkpoints.diff(&before, DiffEnd::Now).unwrap();
    assert!(diff.is_cut && diff.text.len() <= 1024 * 1024 && diff.text.ends_with("line\n"));
}

// Repositories in the workspace are kept as the files that they show, and their own files are theirs.
#[test]
fn files_of_nested_repositories_are_kept_and_their_git_is_not() {
    let scene = require!(Need::Git, scene());
    for repository in [".", "nested", "nested/deeper"] {
        scene.write(&format!("{repository}/.git/HEAD"), "ref: refs/heads/main\n");
        scene.write(&format!("{repository}/.git/config"), "[core]\n");
        scene.write(&format!("{repository}/file"), "one\n");
    }
    scene.write("linked/.git", "gitdir: ../.git/worktrees/linked\n");
    scene.write("linked/file", "one\n");
    let before = scene.take();
    for repository in [".", "nested", "nested/deeper"] {
        scene.write(&format!("{repository}/.git/config"), "[core]\n\teditor = x\n");
        scene.write(&format!("{repository}/file"), "two\n");
    }
    scene.write("linked/.git", "gitdir: elsewhere\n");
    let diff = scene.since(&before);
    assert_eq!(diff.matches("-one\n+two\n").count(), 3, "{diff}");
    assert!(!diff.contains(".git") && !diff.contains("linked"), "{diff}");
}

// Stored files may be private even if all users can read the workspace.
#[cfg(unix)]
#[test]
fn stored_checkpoints_are_readable_only_by_the_user() {
    use std::os::unix::fs::PermissionsExt;
    fn check(folder: &std::path::Path) -> usize {
        let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
        entries
            .map(|entry| {
                let found = entry.metadata().unwrap();
                let mode = found.permissions().mode();
                assert_eq!(mode & 0o077, 0, "{mode:o} {}", entry.path().display());
                if found.is_dir() { check(&entry.path()) } else { 1 }
            })
            .sum()
    }
    let scene = require!(Need::Git, scene());
    // Few files and many files, which git stores in different ways.
    scene.write("a", "a");
    scene.take();
    for number in 0..300 {
        scene.write(&format!("f{number}"), number.to_string());
    }
    let id = scene.take();
    scene.since(&id);
    assert!(check(&scene.state()) > 5);
}

#[test]
fn checkpoints_are_never_kept_in_the_workspace() {
    let scene = require!(Need::Git, scene());
    for inside in [".windlass/checkpoints", "a/../b"] {
        let refused = Checkpoints::open(&scene.work, scene.work.join(inside));
        assert!(matches!(refused, Err(CheckpointError::InWorkspace { .. })), "{refused:?}");
    }
    assert_eq!(fs::read_dir(&scene.work).unwrap().count(), 0);
}

#[test]
fn ten_thousand_files_are_kept_and_only_what_changed_is_kept_again() {
    let scene = require!(Need::Git, scene());
    for number in 0..10_000 {
        scene.write(&format!("d{}/f{number}", number % 100), format!("file {number}\n"));
    }
    let before = scene.take();
    scene.write("d7/f7", "changed\n");
    scene.remove("d8/f8");
    scene.write("d9/new", "new\n");
    let after = scene.take();
    let diff = scene.checkpoints.diff(&before, DiffEnd::Checkpoint(&after)).unwrap().text;
    assert_eq!(diff.matches("diff --git").count(), 3, "{diff}");
}
