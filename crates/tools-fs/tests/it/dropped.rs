//! Calls whose future is dropped: nothing changes after that.

use serde_json::json;
use windlass_testkit::dropped_call::drop_before_work;

use crate::scene::{Scene, payload};

// The engine drops the future of a call that does not stop, and reports that call as cancelled.
#[test]
fn a_call_dropped_before_its_thread_starts_changes_nothing() {
    for (name, arguments) in [
        ("write_file", json!({"path": "b.txt", "content": "b\n"})),
        ("create_file", json!({"path": "b.txt", "content": "b\n"})),
        ("delete_file", json!({"path": "a.txt"})),
    ] {
        let scene = Scene::new();
        scene.put("a.txt", "one\n");
        let tool = scene.tool(name);
        drop_before_work(tool, &payload(&arguments));
        assert_eq!(scene.bytes("a.txt"), b"one\n", "{name}");
        assert!(!scene.at("b.txt").exists(), "{name}");
    }
}
