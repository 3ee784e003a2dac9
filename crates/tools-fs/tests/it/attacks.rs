//! The cases of the attack catalogue that run tools without policy: they hold whatever policy decides.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::scene::Scene;

const SECRET: &str = "sk-planted-0123456789";

/// The workspace of the catalogue: links of all kinds, beside a folder that nothing may reach.
fn scene() -> (Scene, PathBuf) {
    let scene = Scene::new();
    let outside = scene.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::create_dir(scene.folder.path().join("work-two")).unwrap();
    fs::write(outside.join("secret.txt"), SECRET).unwrap();
    fs::write(outside.join("shared.txt"), SECRET).unwrap();
    for (path, content) in
        [(".env", SECRET), ("README.md", "read me\n"), ("src/deep/a.rs", "a\n"), (".git/config", "x")]
    {
        scene.put(path, content);
    }
    let to = |name: &str| outside.join(name);
    for (link, target) in [
        ("link_out_file", to("secret.txt")),
        ("link_out_dir", outside.clone()),
        ("dangling_link", to("not_there")),
        ("chain1", "chain2".into()),
        ("chain2", to("secret.txt")),
        ("proc_link", "/proc/self".into()),
        ("loop", "loop".into()),
        ("safe", ".git".into()),
        ("link_in", "README.md".into()),
        ("link_in_dir", "src/deep".into()),
    ] {
        symlink(target, scene.at(link)).unwrap();
    }
    fs::hard_link(to("shared.txt"), scene.at("hardlink_out")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(scene.at("fifo")).status().unwrap().success());
    (scene, outside)
}

#[track_caller]
fn check_refused(tool: &str, arguments: &Value) {
    let (scene, outside) = scene();
    let told = scene.call(tool, arguments).unwrap_err();
    assert!(!told.contains(SECRET), "{told}");
    let seen = scene.inspect(tool, arguments);
    assert!(!format!("{seen:?}").contains(SECRET), "{seen:?}");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 2);
    assert_eq!(fs::read_dir(scene.folder.path().join("work-two")).unwrap().count(), 0);
    for name in ["secret.txt", "shared.txt"] {
        assert_eq!(fs::read_to_string(outside.join(name)).unwrap(), SECRET);
    }
    assert!(scene.at("README.md").exists());
}

#[test]
fn no_path_outside_the_workspace_is_read() {
    let long = "a/".repeat(2_100);
    let odd = [
        "../outside/secret.txt",
        "link_out_file",
        "link_out_dir/secret.txt",
        "chain1",
        "proc_link/environ",
        "proc_link/root/etc/passwd",
        "/proc/self/environ",
        "/dev/zero",
        "fifo",
        "loop",
        "a\0b",
        "~/.ssh/id_rsa",
        "..\\outside\\secret.txt",
        "src/../../outside/secret.txt",
        "./link_in_dir/../../../outside/secret.txt",
        "safe/config",
        "\"..\"/outside/secret.txt",
        "\"\\056\\056\"/outside/secret.txt",
        "",
        &long,
    ];
    for path in odd {
        check_refused("read_file", &json!({ "path": path }));
        check_refused("list_files", &json!({ "path": path }));
    }
}

#[test]
fn nothing_outside_is_written_or_removed() {
    let long = format!("{}x", "a/".repeat(2_100));
    for path in [
        "../work-two/x.txt",
        "../outside/x",
        "sub/../../outside/x",
        "link_out_file",
        "link_out_dir/x",
        "link_out_dir/made/deep/x",
        "dangling_link",
        "chain1",
        "hardlink_out",
        "proc_link/cwd/x",
        "fifo",
        "loop",
        "safe/hooks/pre-commit",
        "/etc/windlass",
        ".",
        "src",
        "README.md/x",
        "",
        &long,
    ] {
        check_refused("write_file", &json!({"path": path, "content": "x"}));
    }
    let (scene, _outside) = scene();
    let sibling = scene.folder.path().join("work-two/x.txt");
    check_refused("write_file", &json!({"path": sibling, "content": "x"}));
    for path in ["", ".", "..", "../outside/secret.txt", "link_out_dir/secret.txt", "safe/config", "src", "~"]
    {
        check_refused("delete_file", &json!({ "path": path }));
    }
    // Deleting one of two hard links keeps the other one.
    scene.call("delete_file", &json!({"path": "hardlink_out"})).unwrap();
    scene.call("delete_file", &json!({"path": "link_out_dir", "recursive": true})).unwrap();
    assert_eq!(fs::read_dir(scene.folder.path().join("outside")).unwrap().count(), 2);
}

// CTL-017, CTL-025: a path inside is reached in every spelling.
#[test]
fn paths_inside_the_workspace_are_reached() {
    let (scene, _outside) = scene();
    let absolute = scene.at("README.md");
    for path in ["./src/../README.md", "link_in", "src/./deep/../../README.md", absolute.to_str().unwrap()] {
        let page = scene.call("read_file", &json!({ "path": path })).unwrap();
        assert!(page.contains("read me"), "{page}");
    }
    assert!(scene.call("list_files", &json!({"path": "link_in_dir"})).unwrap().contains("a.rs"));
    scene.call("write_file", &json!({"path": "src/new.rs", "content": "x"})).unwrap();
    scene.call("write_file", &json!({"path": "link_in_dir/new.rs", "content": "x"})).unwrap();
    assert_eq!(scene.bytes("src/deep/new.rs"), b"x");
}
