//! A path that policy refuses below a folder is neither shown nor removed (security 2, 3).

use std::os::unix::fs::symlink;

use serde_json::json;
use windlass_protocol::{CallId, Content, Effect};
use windlass_tool::{Context, PathGate, ToolError};

use crate::scene::{Scene, payload};

/// Returns the text of a call that must neither read `private` nor remove `thesis.tex`.
fn gated(scene: &Scene, tool: &str, arguments: &serde_json::Value) -> String {
    let gate = PathGate::new(|effect| match effect {
        Effect::Read { path } => path == "private" || path.starts_with("private/"),
        Effect::Delete { path } => path.ends_with("thesis.tex"),
        _ => false,
    });
    let ctx = Context::new(CallId::new("call_1").unwrap()).with_path_gate(gate);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    match runtime.block_on(scene.tool(tool).call(&ctx, &payload(arguments))) {
        Ok(output) => match output.content.first() {
            Some(Content::Text { text }) => text.clone(),
            other => panic!("{other:?}"),
        },
        Err(ToolError::Model(text)) => text.wire_text(),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_listing_omits_and_counts_refused_paths() {
    let scene = Scene::new();
    scene.put("private/x.txt", "x");
    scene.put("src/a.rs", "a");
    symlink("private", scene.at("pub")).unwrap();
    symlink("../private/x.txt", scene.at("src/link")).unwrap();
    let told = gated(&scene, "list_files", &json!({ "depth": 5 }));
    assert!(told.contains("src/a.rs") && told.contains("1 are left out because rules refuse them"), "{told}");
    assert!(!told.contains("private") && !told.contains("x.txt"), "{told}");
    let through = gated(&scene, "list_files", &json!({ "path": "pub" }));
    assert!(!through.contains("x.txt"), "{through}");
    // Without a gate all of it is shown.
    assert!(scene.call("list_files", &json!({ "depth": 5 })).unwrap().contains("private/x.txt"));
}

#[test]
fn rules_apply_to_the_target_of_a_link() {
    let scene = Scene::new();
    scene.put("private/x.txt", "hidden words");
    symlink("private/x.txt", scene.at("a.txt")).unwrap();
    let told = gated(&scene, "read_file", &json!({ "path": "a.txt" }));
    assert!(told.contains("a rule refuses") && !told.contains("hidden words"), "{told}");
    let told = gated(&scene, "read_file", &json!({ "files": [{ "path": "a.txt" }] }));
    assert!(!told.contains("hidden words"), "{told}");
}

#[test]
fn a_folder_that_contains_a_refused_path_is_not_deleted() {
    let scene = Scene::new();
    scene.put("docs/archive/a.md", "a");
    scene.put("docs/archive/deep/thesis.tex", "b");
    let arguments = json!({ "path": "docs/archive", "recursive": true });
    let told = gated(&scene, "delete_file", &arguments);
    assert!(told.contains("a rule refuses to remove `docs/archive/deep/thesis.tex`"), "{told}");
    assert_eq!(scene.bytes("docs/archive/a.md"), b"a");
}

#[test]
fn the_effects_of_a_removal_include_the_folder_contents() {
    let scene = Scene::new();
    scene.put("docs/archive/.git/HEAD", "a");
    symlink("docs", scene.at("alias")).unwrap();
    let arguments = json!({ "path": "alias/archive", "recursive": true });
    assert_eq!(
        scene.effects("delete_file", &arguments),
        [Effect::DeleteTree { path: "alias/archive".into() }]
    );
    assert_eq!(scene.effects("delete_file", &json!({ "path": "a" })), [Effect::Delete { path: "a".into() }]);
    let seen = scene.inspect("delete_file", &arguments);
    let leads = |path: &str| seen.targets.iter().find(|target| target.path == path).unwrap().resolved.clone();
    assert_eq!((leads("alias").as_str(), leads("alias/archive").as_str()), ("docs", "docs/archive"));
    assert_eq!(leads("alias/archive/.git/HEAD"), "docs/archive/.git/HEAD");
}
