//! The facts that tools determine about a call before its decision.

use serde_json::json;
use windlass_protocol::{Effect, TargetKind};
use windlass_tool::Inspection;

use crate::scene::Scene;

#[track_caller]
fn diff_of(seen: &Inspection) -> &str {
    assert_eq!(seen.changes.len(), 1, "{seen:?}");
    &seen.changes[0].diff
}

// H3: `inspect` changes nothing.
#[test]
fn a_write_shows_its_diff_and_writes_nothing() {
    let scene = Scene::new();
    let new = json!({"path": "a/b.txt", "content": "one\n"});
    let seen = scene.inspect("write_file", &new);
    assert_eq!(diff_of(&seen), "--- /dev/null\n+++ b/a/b.txt\n@@ -0,0 +1 @@\n+one\n");
    assert_eq!((seen.targets[0].kind, seen.targets[0].resolved.as_str()), (TargetKind::Missing, "a/b.txt"));
    assert!(!scene.at("a").exists());
    scene.put("a/b.txt", "two\n");
    // The file was never read, so the write would fail: it has no diff to approve.
    let seen = scene.inspect("write_file", &new);
    assert_eq!(seen.changes, []);
    assert_eq!(seen.targets[0].digest.as_deref().map(str::len), Some(64));
    scene.call("read_file", &json!({"path": "a/b.txt"})).unwrap();
    let seen = scene.inspect("write_file", &new);
    assert_eq!(diff_of(&seen), "--- a/a/b.txt\n+++ b/a/b.txt\n@@ -1 +1 @@\n-two\n+one\n");
    assert_eq!(scene.bytes("a/b.txt"), b"two\n");
}

#[test]
fn the_digest_follows_the_bytes() {
    let scene = Scene::new();
    scene.put("a", "one");
    let arguments = json!({"path": "a"});
    let first = scene.inspect("delete_file", &arguments);
    assert_eq!(first, scene.inspect("delete_file", &arguments));
    scene.put("a", "two");
    let second = scene.inspect("delete_file", &arguments);
    assert_ne!(first.targets, second.targets);
    assert!(diff_of(&second).starts_with("--- a/a\n+++ /dev/null\n"), "{second:?}");
    // Reading depends on the place alone.
    assert_eq!(scene.inspect("read_file", &arguments).targets[0].digest, None);
}

#[test]
fn inspecting_a_recursive_delete_lists_every_path() {
    let scene = Scene::new();
    scene.put("src/.git/config", "x");
    scene.put("src/a", "y\n");
    assert_eq!(scene.inspect("delete_file", &json!({"path": "src"})).changes, []);
    let seen = scene.inspect("delete_file", &json!({"path": "src", "recursive": true}));
    let mut targets: Vec<_> = seen.targets.iter().map(|target| target.resolved.as_str()).collect();
    targets.sort_unstable();
    assert_eq!(targets, ["src", "src/.git", "src/.git/config", "src/a"]);
    assert_eq!(seen.changes.len(), 4);
    assert!(scene.at("src/a").exists());
}

#[test]
fn output_too_long_to_show_is_counted() {
    let scene = Scene::new();
    scene.put("long", "x".repeat(9 << 20));
    scene.call("read_file", &json!({"path": "long"})).unwrap();
    let seen = scene.inspect("write_file", &json!({"path": "long", "content": "y".repeat(8 << 20)}));
    assert!(diff_of(&seen).ends_with("[too long to be compared: 9437184 bytes become 8388608]\n"));
    let seen = scene.inspect("delete_file", &json!({"path": "long"}));
    assert_eq!(diff_of(&seen), "[a file of 9437184 bytes is removed]\n");
    for number in 0..100 {
        scene.put(&format!("many/{number}"), "line\n".repeat(1_000));
    }
    let seen = scene.inspect("delete_file", &json!({"path": "many", "recursive": true}));
    let shown: usize = seen.changes.iter().map(|change| change.diff.len()).sum();
    assert!(seen.changes.len() == 101 && shown < 250_000, "{shown}");
    let last = &seen.changes[99].diff;
    assert!(
        last.contains("[a file of 5000 bytes is removed]") || last.contains("of the diff shown"),
        "{last}"
    );
}

#[test]
fn a_write_effect_contains_the_length_of_the_file() {
    let scene = Scene::new();
    let write = |path: &str, bytes| vec![Effect::Write { path: path.into(), bytes }];
    let met = scene.effects("write_file", &json!({"path": "a", "content": "12345678901"}));
    assert_eq!(met, write("a", Some(11)));
    let met = scene.effects("write_file", &json!({"path": "a.rs", "content": "```\nab\n```"}));
    assert_eq!(met, write("a.rs", Some(3)));
    assert_eq!(scene.effects("write_file", &json!({"path": "a"})), write("a", None));
}

#[cfg(unix)]
#[test]
fn links_pipes_and_other_names_are_seen() {
    use std::os::unix::fs::symlink;
    let scene = Scene::new();
    scene.put(".git/config", "x");
    std::fs::write(scene.folder.path().join("secret"), "secret").unwrap();
    std::fs::hard_link(scene.folder.path().join("secret"), scene.at("twin")).unwrap();
    symlink(".git", scene.at("safe")).unwrap();
    symlink("../secret", scene.at("out")).unwrap();
    symlink(scene.folder.path().join("none"), scene.at("dangling")).unwrap();
    symlink("safe/hooks/new", scene.at("soon")).unwrap();
    symlink("loop", scene.at("loop")).unwrap();
    let status = std::process::Command::new("mkfifo").arg(scene.at("fifo")).status().unwrap();
    assert!(status.success());
    let cases = [
        ("safe/config", TargetKind::File, ".git/config"),
        ("safe/new", TargetKind::Missing, ".git/new"),
        ("soon", TargetKind::Missing, ".git/hooks/new"),
        ("out", TargetKind::Outside, "out"),
        ("dangling", TargetKind::Outside, "dangling"),
        ("dangling/deep", TargetKind::Outside, "dangling/deep"),
        ("loop", TargetKind::Missing, "loop"),
        ("fifo", TargetKind::Special, "fifo"),
        (".git", TargetKind::Folder, ".git"),
        ("../secret", TargetKind::Outside, "../secret"),
        ("twin", TargetKind::File, "twin"),
        ("twin/below", TargetKind::Missing, "twin/below"),
    ];
    for (path, kind, resolved) in cases {
        for tool in ["read_file", "write_file", "delete_file", "list_files"] {
            let seen = scene.inspect(tool, &json!({"path": path, "content": "x"}));
            let target = &seen.targets[0];
            assert_eq!((target.kind, target.resolved.as_str()), (kind, resolved), "{tool} {path}");
        }
    }
    let seen = scene.inspect("write_file", &json!({"path": "twin", "content": "x"}));
    assert_eq!((seen.targets[0].links, seen.changes), (2, vec![]));
}
