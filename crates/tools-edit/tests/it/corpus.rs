//! The scenarios of Codex: a folder before, a patch, the folder after.

use std::fs;
use std::path::Path;

use windlass_testkit::corpora;

use crate::scene::{Scene, tree};

/// At least so many of the 23 scenarios agree.
const FLOOR: usize = 20;

/// Scenarios that differ, and why.
const DIFFERENT: &[(&str, &str)] = &[
    (
        "010_move_overwrites_existing_destination",
        "a file that the patch does not name as read is not lost (E5)",
    ),
    ("011_add_overwrites_existing_file", "a new file does not take the place of one that is there (E5)"),
    ("015_failure_after_partial_success_leaves_changes", "a patch that fails changes nothing (E4)"),
];

fn put(from: &Path, to: &Path) {
    for (name, bytes) in tree(from) {
        match bytes {
            None => fs::create_dir_all(to.join(name)).unwrap(),
            Some(bytes) => {
                fs::create_dir_all(to.join(&name).parent().unwrap()).unwrap();
                fs::write(to.join(name), bytes).unwrap();
            }
        }
    }
}

#[test]
fn corpus_scenarios_of_codex_agree() {
    let Some(folder) = corpora::find("patch/codex_apply_patch_scenarios") else { return };
    let mut cases: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.is_dir());
    cases.sort();
    let mut agreed = 0;
    for case in &cases {
        let name = case.file_name().unwrap().to_str().unwrap();
        let scene = Scene::new(&[]);
        if case.join("input").is_dir() {
            put(&case.join("input"), &scene.at(""));
        }
        let expected = if case.join("expected").is_dir() { tree(&case.join("expected")) } else { [].into() };
        let before = scene.tree();
        let told = scene.apply(&fs::read_to_string(case.join("patch.txt")).unwrap());
        // A refusal changes nothing, also where Codex has changed something.
        assert!(told.is_ok() || scene.tree() == before, "{name}");
        let only_files = |tree: crate::scene::Tree| -> crate::scene::Tree {
            tree.into_iter().filter(|(_, bytes)| bytes.is_some()).collect()
        };
        let is_same = only_files(scene.tree()) == only_files(expected);
        match (is_same, DIFFERENT.iter().find(|(different, _)| *different == name)) {
            (true, None) => agreed += 1,
            (true, Some(_)) => panic!("{name} agrees; take it from the list"),
            (false, Some((_, reason))) => println!("{name} differs: {reason}"),
            (false, None) => panic!("{name} differs: {told:?}"),
        }
    }
    println!("{agreed} of {} scenarios agree", cases.len());
    assert!(agreed >= FLOOR, "{agreed} of {}", cases.len());
}
