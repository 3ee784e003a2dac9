//! The files show whether an interrupted edit was made (RULES R6, SECURITY "Journal").

use serde_json::{Value, json};
use windlass_protocol::ReconcileOutcome;
use windlass_tools_edit::tools;

use crate::scene::{Scene, payload};

const FILES: &[(&str, &[u8])] = &[("a.txt", b"one\ntwo\n"), ("b.txt", b"three\n")];

/// Checks that a call counts as not begun before it runs, as done after it, and as changed if the file has other
/// bytes.
#[track_caller]
fn check(name: &str, arguments: &Value, strange: &str) {
    let scene = Scene::new(FILES);
    let tools = tools(&scene.workspace);
    let tool = tools.iter().find(|tool| tool.spec().name().as_str() == name).unwrap();
    let planned = tool.inspect(&payload(arguments)).planned;
    assert!(!planned.is_empty());
    assert_eq!(tool.aftermath(&planned), ReconcileOutcome::NotBegun);
    scene.call(name, arguments).unwrap();
    assert_eq!(tool.aftermath(&planned), ReconcileOutcome::Done);
    std::fs::write(scene.at(strange), "a stranger was here").unwrap();
    assert_eq!(tool.aftermath(&planned), ReconcileOutcome::Changed { paths: vec![strange.into()] });
}

#[test]
fn each_editing_tool_reconciles_its_planned_files() {
    check("edit_file", &json!({"path": "a.txt", "old_text": "two", "new_text": "2"}), "a.txt");
    let diff = "<<<<<<< SEARCH\nthree\n=======\n3\n>>>>>>> REPLACE";
    check("apply_diff", &json!({"path": "b.txt", "diff": diff}), "b.txt");
    let patch = "*** Begin Patch\n*** Add File: new.txt\n+new\n*** Update File: a.txt\n@@\n-two\n+2\n\
        *** Delete File: b.txt\n*** End Patch";
    check("apply_patch", &json!({"patch": patch}), "new.txt");
    let moved = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: d/e.txt\n@@\n-two\n+2\n*** End Patch";
    check("apply_patch", &json!({"patch": moved}), "d/e.txt");
}

// A program that dies in the middle of a patch leaves some files done: they are named, and nothing is done twice.
#[test]
fn an_interrupted_patch_is_reconciled_as_partly_done() {
    let scene = Scene::new(FILES);
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** Update File: b.txt\n@@\n-three\n+3\n*** End Patch";
    let planned = scene.inspect(patch).planned;
    std::fs::write(scene.at("a.txt"), "one\n2\n").unwrap();
    let partly = ReconcileOutcome::Partly { done: vec!["a.txt".into()], open: vec!["b.txt".into()] };
    assert_eq!(scene.workspace.aftermath(&planned), partly);
}

#[test]
fn links_empty_plans_and_replaced_files_are_reconciled() {
    let scene = Scene::new(FILES);
    std::os::unix::fs::symlink("a.txt", scene.at("link")).unwrap();
    let edit = json!({"path": "link", "old_text": "two", "new_text": "2"});
    let tools = tools(&scene.workspace);
    let planned = tools[0].inspect(&payload(&edit)).planned;
    assert_eq!(planned[0].path, "a.txt", "the file behind it is what changes");
    assert_eq!(tools[0].aftermath(&[]), ReconcileOutcome::Unknown);
    std::fs::remove_file(scene.at("a.txt")).unwrap();
    std::fs::create_dir(scene.at("a.txt")).unwrap();
    assert_eq!(tools[0].aftermath(&planned), ReconcileOutcome::Changed { paths: vec!["a.txt".into()] });
}
