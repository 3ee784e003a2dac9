//! `delete_file`.

use serde_json::json;
use windlass_protocol::{Effect, Risk};

use crate::scene::Scene;

#[track_caller]
fn check_refused(scene: &Scene, arguments: &serde_json::Value, words: &str) {
    let text = scene.call("delete_file", arguments).unwrap_err();
    assert!(text.contains(words), "{text}");
}

#[test]
fn delete_removes_only_the_named_file() {
    let scene = Scene::new();
    scene.put("a/x", "1");
    scene.put("a/y", "2");
    let told = scene.call("delete_file", &json!({"path": "a/./x"})).unwrap();
    assert_eq!(told, "removed `a/x`, a file");
    assert!(!scene.at("a/x").exists() && scene.at("a/y").exists());
    assert_eq!(scene.tool("delete_file").hints().risk, Risk::High);
    let effect = scene.effects("delete_file", &json!({"path": "a/../b"}));
    assert_eq!(effect, [Effect::Delete { path: "b".into() }]);
}

// PTH-033, PAT-005
#[test]
fn the_root_a_full_folder_and_nothing_are_refused() {
    let scene = Scene::new();
    scene.put("src/a.rs", "1");
    for path in [".", "src/..", "./"] {
        check_refused(&scene, &json!({"path": path}), "the workspace itself");
        check_refused(&scene, &json!({"path": path, "recursive": true}), "the workspace itself");
    }
    check_refused(&scene, &json!({"path": ""}), "empty");
    check_refused(&scene, &json!({"path": "src"}), "1 name in it; nothing was removed");
    check_refused(&scene, &json!({"path": "none"}), "does not exist");
    check_refused(&scene, &json!({"path": "../outputs"}), "outside");
    assert_eq!(scene.bytes("src/a.rs"), b"1");
}

#[test]
fn delete_removes_a_folder_and_its_contents_if_recursive() {
    let scene = Scene::new();
    for path in ["src/a.rs", "src/b/c.rs", "src/b/d/e.rs", "kept"] {
        scene.put(path, "1");
    }
    let told = scene.call("delete_file", &json!({"path": "src", "recursive": true})).unwrap();
    assert_eq!(told, "removed `src`, a folder with 5 names in it");
    assert!(!scene.at("src").exists() && scene.at("kept").exists());
    std::fs::create_dir(scene.at("empty")).unwrap();
    assert_eq!(scene.call("delete_file", &json!({"path": "empty"})).unwrap(), "removed `empty`, a folder");
    for number in 0..1_001 {
        scene.put(&format!("many/{number}"), "");
    }
    check_refused(&scene, &json!({"path": "many", "recursive": true}), "more than 1000 entries");
    assert_eq!(std::fs::read_dir(scene.at("many")).unwrap().count(), 1_001);
}

// PTH-031
#[cfg(unix)]
#[test]
fn deleting_a_link_keeps_its_target() {
    use std::os::unix::fs::symlink;
    let scene = Scene::new();
    std::fs::write(scene.folder.path().join("secret"), "secret").unwrap();
    scene.put("src/a.rs", "1");
    for (link, target) in [("out", "../secret"), ("in", "src"), ("nothing", "none"), ("loop", "loop")] {
        symlink(target, scene.at(link)).unwrap();
        let told = scene.call("delete_file", &json!({"path": link, "recursive": true})).unwrap();
        assert_eq!(told, format!("removed `{link}`, a link; its target remains"));
        assert!(std::fs::symlink_metadata(scene.at(link)).is_err());
    }
    // A link inside a removed folder is removed like any other name.
    symlink("../../secret", scene.at("src/out")).unwrap();
    symlink("..", scene.at("src/up")).unwrap();
    scene.call("delete_file", &json!({"path": "src", "recursive": true})).unwrap();
    // A path through a link is not removed.
    symlink("..", scene.at("up")).unwrap();
    check_refused(&scene, &json!({"path": "up/secret"}), "outside");
    assert_eq!(std::fs::read(scene.folder.path().join("secret")).unwrap(), b"secret");
}
