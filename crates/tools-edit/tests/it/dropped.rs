//! Calls whose future is dropped: nothing changes after that.

use serde_json::json;
use windlass_testkit::dropped_call::drop_before_work;
use windlass_tools_edit::tools;

use crate::scene::{Scene, payload};

// The engine drops the future of a call that does not stop, and reports that call as cancelled.
#[test]
fn a_call_dropped_before_its_thread_starts_changes_nothing() {
    let patch =
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Add File: b.txt\n+b\n*** End Patch";
    for (name, arguments) in [
        ("edit_file", json!({"path": "a.txt", "old_text": "one", "new_text": "two"})),
        (
            "apply_diff",
            json!({"path": "a.txt", "diff": "<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE"}),
        ),
        ("apply_patch", json!({"patch": patch})),
    ] {
        let scene = Scene::new(&[("a.txt", b"one\n")]);
        let all = tools(&scene.workspace);
        let tool = all.iter().find(|tool| tool.spec().name().as_str() == name).unwrap();
        drop_before_work(tool.as_ref(), &payload(&arguments));
        assert_eq!(scene.bytes("a.txt"), b"one\n", "{name}");
        assert!(!scene.at("b.txt").exists(), "{name}");
    }
}
