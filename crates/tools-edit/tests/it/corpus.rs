//! The scenarios of Codex: a folder before, a patch, the folder after.

use std::fs;
use std::path::Path;

use windlass_sandbox::Version;
use windlass_testkit::{Need, corpora, require};

use crate::scene::{Scene, Tree, tree};

/// Scenarios that differ whatever the model knows, and why.
const DIFFERENT: &[(&str, &str)] =
    &[("015_failure_after_partial_success_leaves_changes", "a patch that fails changes nothing (E4)")];

/// Scenarios that differ where the model has read none of the files, and why.
const UNREAD: &[(&str, &str)] = &[
    ("010_move_overwrites_existing_destination", "a file that the model has not read is not lost (E5)"),
    ("011_add_overwrites_existing_file", "a file that the model has not read is not lost (E5)"),
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
fn corpus_scenarios_of_codex_agree_where_the_files_were_read() {
    println!("{}", require!(Need::Corpora, run(true, DIFFERENT, 22)));
}

#[test]
fn corpus_scenarios_of_codex_agree_except_for_unread_files() {
    println!("{}", require!(Need::Corpora, run(false, &[DIFFERENT, UNREAD].concat(), 20)));
}

/// Runs all scenarios, where the model has read the files or has not; returns the differences and the number
/// that agree.
#[track_caller]
fn run(is_read: bool, different: &[(&str, &str)], floor: usize) -> Result<String, String> {
    let folder = corpora::find("patch/codex_apply_patch_scenarios")?;
    let mut told = String::new();
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
        let before = scene.tree();
        for (path, bytes) in before.iter().filter(|_| is_read) {
            if let Some(bytes) = bytes {
                let path = scene.workspace.resolve(path.to_str().unwrap()).unwrap();
                scene.workspace.remember(&path, Version::compute(bytes));
            }
        }
        let expected = if case.join("expected").is_dir() { tree(&case.join("expected")) } else { [].into() };
        let result = scene.apply(&fs::read_to_string(case.join("patch.txt")).unwrap());
        // A refusal changes nothing, also where Codex has changed something.
        assert!(result.is_ok() || scene.tree() == before, "{name}");
        let only_files =
            |tree: Tree| -> Tree { tree.into_iter().filter(|(_, bytes)| bytes.is_some()).collect() };
        let is_same = only_files(scene.tree()) == only_files(expected);
        match (is_same, different.iter().find(|(different, _)| *different == name)) {
            (true, None) => agreed += 1,
            (true, Some(_)) => panic!("{name} agrees; take it from the list"),
            (false, Some((_, reason))) => told.extend([name, " differs: ", reason, "\n"]),
            (false, None) => panic!("{name} differs: {result:?}"),
        }
    }
    assert!(agreed >= floor, "{agreed} of {}", cases.len());
    Ok(format!("{told}{agreed} of {} scenarios agree", cases.len()))
}
