//! The files show whether an interrupted call was done (RULES R6).

use serde_json::{Value, json};
use windlass_protocol::ReconcileOutcome;

use crate::scene::Scene;

#[track_caller]
fn check(name: &str, arguments: &Value) {
    let scene = Scene::new();
    scene.put("there.txt", "before");
    let planned = scene.inspect(name, arguments).planned;
    assert_eq!(planned.len(), 1);
    assert_eq!(scene.tool(name).aftermath(&planned), ReconcileOutcome::NotBegun);
    scene.call(name, arguments).unwrap();
    assert_eq!(scene.tool(name).aftermath(&planned), ReconcileOutcome::Done);
    scene.put(&planned[0].path, "a stranger");
    assert_eq!(
        scene.tool(name).aftermath(&planned),
        ReconcileOutcome::Changed { paths: vec![planned[0].path.clone()] }
    );
}

#[test]
fn each_file_changing_tool_reconciles_its_planned_files() {
    check("write_file", &json!({"path": "new/a.txt", "content": "x"}));
    check("create_file", &json!({"path": "new.txt", "content": "x"}));
    check("delete_file", &json!({"path": "there.txt"}));
}

#[test]
fn the_outcome_of_a_folder_deletion_is_unknown() {
    let scene = Scene::new();
    scene.put("folder/a.txt", "1");
    let seen = scene.inspect("delete_file", &json!({"path": "folder", "recursive": true}));
    assert!(seen.planned.is_empty());
    assert_eq!(scene.tool("delete_file").aftermath(&seen.planned), ReconcileOutcome::Unknown);
}
