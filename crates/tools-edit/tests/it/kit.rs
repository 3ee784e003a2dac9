//! The tools follow the rules of the conformance kit.

use serde_json::json;
use windlass_protocol::{Arguments, CallId, Payload};
use windlass_tool::Context;
use windlass_tool::kit::check_tool;
use windlass_tools_edit::tools;

use crate::scene::Scene;

async fn check(name: &str, payload: Payload) {
    let scene = Scene::new(&[("a.txt", b"one\ntwo\n")]);
    let tools = tools(&scene.workspace);
    let tool = tools.iter().find(|tool| tool.spec().name().as_str() == name).unwrap();
    let ctx = Context::new(CallId::new("call_1").unwrap());
    let checked = check_tool(&**tool, &ctx, &payload).await;
    assert!(checked.is_ok(), "{name}: {}", checked.unwrap_err());
}

#[tokio::test]
async fn the_tools_conform() {
    let arguments = |value: serde_json::Value| Arguments::parse(value.to_string()).unwrap();
    let edit = json!({"path": "a.txt", "old_text": "one", "new_text": "1"});
    check("edit_file", Payload::Function { arguments: arguments(edit) }).await;
    let diff = "<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n";
    let blocks = json!({"path": "a.txt", "diff": diff});
    check("apply_diff", Payload::Function { arguments: arguments(blocks) }).await;
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n two\n*** End Patch\n";
    check("apply_patch", Payload::Custom { input: patch.to_owned() }).await;
}
