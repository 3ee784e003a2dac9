//! A path that policy refuses is in no result (security 2).

use serde_json::json;
use windlass_protocol::CallId;
use windlass_tool::{Context, PathGate};

use crate::{call_in, scene, tool};

const FILES: &[(&str, &str)] =
    &[("private/x.rs", "pub fn hidden_needle() {}\n"), ("src/a.rs", "pub fn shown_needle() {}\n")];

fn gated() -> Context {
    let gate = PathGate::new(|effect| effect.path().is_some_and(|path| path.starts_with("private")));
    Context::new(CallId::new("call_1").unwrap()).with_path_gate(gate)
}

#[test]
fn walks_do_not_show_refused_files() {
    let (_folder, workspace) = scene(FILES);
    for (name, arguments) in [
        ("indexer_search_code", json!({ "query": "needle" })),
        ("indexer_search_files", json!({ "glob": "**/*.rs" })),
    ] {
        let told = call_in(&gated(), &*tool(&workspace, name), &arguments).unwrap();
        assert!(told.contains("src/a.rs") && !told.contains("private") && !told.contains("hidden"), "{told}");
        assert!(told.contains("1 files were left out because rules refuse them"), "{told}");
    }
    let told = call_in(&gated(), &*tool(&workspace, "indexer_get_metrics"), &json!({})).unwrap();
    assert!(!told.contains("private"), "{told}");
}

#[cfg(feature = "search")]
#[test]
fn the_index_of_everything_shows_what_the_call_may_see() {
    let (folder, workspace) = scene(FILES);
    let index = folder.path().join("index");
    let search = windlass_tools_index::CodebaseSearch::new(workspace.clone(), index).unwrap();
    let open = Context::new(CallId::new("call_1").unwrap());
    let ask = |ctx: &Context| call_in(ctx, &search, &json!({ "query": "needle" })).unwrap();
    assert!(ask(&open).contains("private/x.rs"), "it is in the index");
    let told = ask(&gated());
    assert!(told.contains("src/a.rs") && !told.contains("private") && !told.contains("hidden"), "{told}");
}
