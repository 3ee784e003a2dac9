//! The tools follow the rules of the conformance kit.

use serde_json::{Value, json};
use windlass_protocol::CallId;
use windlass_tool::Context;
use windlass_tool::kit::check_tool;

use crate::scene::{Scene, payload};

async fn check(name: &str, arguments: &Value) {
    let scene = Scene::new();
    scene.put("src/a.txt", "one\ntwo\n");
    let ctx = Context::new(CallId::new("call_1").unwrap());
    let checked = check_tool(scene.tool(name), &ctx, &payload(arguments)).await;
    assert!(checked.is_ok(), "{name}: {}", checked.unwrap_err());
}

#[tokio::test]
async fn the_tools_conform() {
    check("read_file", &json!({"path": "src/a.txt"})).await;
    check("list_files", &json!({"path": "src"})).await;
    check("create_file", &json!({"path": "b.txt", "content": "new\n"})).await;
    check("delete_file", &json!({"path": "src/a.txt"})).await;
}
