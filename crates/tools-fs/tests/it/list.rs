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
    check(&scene, &json!({}), "[.: 3 of 3 names]\n.git/ (protected)\na/\nb.txt");
    check(&scene, &json!({"path": "a"}), "[a: 2 of 2 names]\ndeep/\nx.txt");
    let all = "[.: 6 of 6 names]\n.git/ (protected)\na/\na/deep/\na/deep/y.txt\na/x.txt\nb.txt";
    check(&scene, &json!({"depth": 5}), all);
    let cut = "[.: 2 of 6 names; give a deeper path or a larger limit]\n.git/ (protected)\na/";
    check(&scene, &json!({"depth": 5, "limit": 2}), cut);
    assert!(scene.call("list_files", &json!({"path": "b.txt"})).unwrap_err().contains("not a folder"));
}

#[cfg(unix)]
#[test]
fn links_are_shown_and_not_followed() {
    let scene = Scene::new();
    std::os::unix::fs::symlink("/etc", scene.folder.path().join("work/out")).unwrap();
    check(&scene, &json!({"depth": 3}), "[.: 1 of 1 name]\nout -> /etc");
}

#[test]
fn ignored_files_are_skipped_and_counted() {
    let scene = Scene::new();
    for path in ["target/x", "a.log", "keep.log", "sub/b.log", "sub/deep/c.tmp", "sub/deep/d", "sub/e.tmp"] {
        scene.put(path, "");
    }
    scene.put(".gitignore", "/target/\n*.log\n!keep.log\n# a note\n{{{{\n");
    scene.put("sub/.gitignore", "deep/*.tmp\n!b.log\n");
    let left = "[.: 6 of 6 names; 3 that .gitignore names are left out, include_ignored shows them]\n\
        .gitignore\nkeep.log\nsub/\nsub/.gitignore\nsub/b.log\nsub/deep/\nsub/deep/d\nsub/e.tmp";
    let left = left.replace("6 of 6", "8 of 8");
    check(&scene, &json!({"depth": 3}), &left);
    // The ignore patterns of parent folders apply to the listed folder.
    check(
        &scene,
        &json!({"path": "sub/deep"}),
        "[sub/deep: 1 of 1 name; 1 that .gitignore names are left out, include_ignored shows them]\nd",
    );
    // A folder that is asked for by its name is shown.
    check(&scene, &json!({"path": "target"}), "[target: 1 of 1 name]\nx");
    let all = scene.call("list_files", &json!({"depth": 3, "include_ignored": true})).unwrap();
    assert!(all.contains("target/x") && all.contains("sub/deep/c.tmp") && !all.contains("left out"), "{all}");
    check(
        &scene,
        &json!({"pattern": "*.tmp"}),
        "[.: 1 of 1 name; 3 that .gitignore names are left out, include_ignored shows them]\nsub/e.tmp",
    );
    scene.put("sub/deep/.gitignore", "*\n");
    check(
        &scene,
        &json!({"path": "sub/deep"}),
        "[sub/deep: no names; 3 that .gitignore names are left out, include_ignored shows them]",
    );
}

// A hostile ignore file is only a list of patterns that are not applied.
#[test]
fn a_hostile_gitignore_is_held_to_a_size() {
    let scene = Scene::new();
    scene.put("a.txt", "");
    let bomb = format!("{}\n{}\n{}\n", "{a,b}".repeat(24), "*".repeat(5_000), "[".repeat(900));
    scene.put(".gitignore", bomb.repeat(2_000) + "*.txt\n");
    let told = "1 ignore file cannot be read or built as a whole";
    check(&scene, &json!({}), &format!("[.: 2 of 2 names; {told}]\n.gitignore\na.txt"));
    scene.put(".gitignore", bomb + "*.txt\n");
    let ignored = "1 that .gitignore names are left out, include_ignored shows them";
    check(&scene, &json!({}), &format!("[.: 1 of 1 name; {ignored}; {told}]\n.gitignore"));
}

#[test]
fn secret_and_protected_names_are_marked() {
    let scene = Scene::new();
    for path in [".env", ".git/config", "a.txt", ".ssh/id_rsa"] {
        scene.put(path, "");
    }
    let marked = "[.: 4 of 4 names]\n.env (secret)\n.git/ (protected)\n.ssh/ (secret)\na.txt";
    check(&scene, &json!({}), marked);
}

// correctness-3 15: the ignore rules are the same as those of `grep_file` and the index.
#[test]
fn rules_with_a_mark_and_rules_in_other_files_count() {
    let scene = Scene::new();
    scene.put(".gitignore", "\u{feff}secret_dir\nbuild/\n");
    scene.put(".ignore", "vis2\n");
    scene.put(".git/info/exclude", "private\n");
    for path in ["secret_dir/a", "build/a", "vis2/a", "private/a", "shown/a"] {
        scene.put(path, "x");
    }
    let listed = scene.call("list_files", &json!({"depth": 3})).unwrap();
    assert!(listed.contains("shown/a"), "{listed}");
    for hidden in ["secret_dir/a", "build/a", "vis2/a", "private/a"] {
        assert!(!listed.contains(hidden), "{hidden} in {listed}");
    }
}
