//! `list_files`.

use serde_json::json;

use crate::scene::Scene;

#[track_caller]
fn check(scene: &Scene, arguments: &serde_json::Value, expected: &str) {
    assert_eq!(scene.call("list_files", arguments).unwrap(), expected);
}

#[test]
fn names_are_sorted_and_folders_marked() {
    let scene = Scene::new();
    check(&scene, &json!({}), "[. is an empty folder]");
    for path in ["b.txt", "a/x.txt", "a/deep/y.txt", ".git/config"] {
        scene.put(path, "");
    }
    check(&scene, &json!({}), "[.: 3 of 3 names]\n.git/\na/\nb.txt");
    check(&scene, &json!({"path": "a"}), "[a: 2 of 2 names]\ndeep/\nx.txt");
    let all = "[.: 6 of 6 names]\n.git/\na/\na/deep/\na/deep/y.txt\na/x.txt\nb.txt";
    check(&scene, &json!({"depth": 5}), all);
    let cut = "[.: 2 of 6 names; give a deeper path or a larger limit]\n.git/\na/";
    check(&scene, &json!({"depth": 5, "limit": 2}), cut);
    assert!(scene.call("list_files", &json!({"path": "b.txt"})).unwrap_err().contains("not a folder"));
}

#[cfg(unix)]
#[test]
fn links_are_shown_and_not_followed() {
    let scene = Scene::new();
    std::os::unix::fs::symlink("/etc", scene.folder.path().join("work/out")).unwrap();
    check(&scene, &json!({"depth": 3}), "[.: 1 of 1 names]\nout -> /etc");
}
