//! Limits on the cost of a call: no input of a model occupies a core or the memory for long.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use windlass_protocol::CallId;
use windlass_tool::Context;
use windlass_tools_edit::tools;

use crate::scene::{Scene, payload};

/// A debug build beside other tests.
const SOON: Duration = Duration::from_secs(20);

#[track_caller]
fn soon<T>(work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let met = work();
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    met
}

fn update(hunks: &str) -> String {
    format!("*** Begin Patch\n*** Update File: a.txt\n{hunks}\n*** End Patch")
}

// correctness 4: an anchor in every third line, and a hunk below each of them. At this length all pairs are
// 10^10 numbers.
#[test]
fn an_anchor_and_a_place_in_many_lines_are_not_paired() {
    let file = "  {\n    \"a\": 1\n  },\n".repeat(150_000);
    let scene = Scene::new(&[("a.txt", file.as_bytes())]);
    for anchors in ["@@ },\n", "@@ },\n@@ },\n@@ },\n"] {
        let told =
            soon(|| scene.apply(&update(&format!("{anchors}-    \"a\": 1\n+    \"a\": 2")))).unwrap_err();
        assert!(told.contains("could be any of the lines"), "{told}");
    }
}

#[test]
fn lines_that_have_nothing_in_common_are_compared_within_a_limit() {
    let lines = |word: &str| (0..60_000).map(|at| format!("{word}{at}\n")).collect::<Vec<_>>().concat();
    let scene = Scene::new(&[("a.txt", lines("a").as_bytes())]);
    let diff = format!("<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE", lines("a"), lines("b"));
    soon(|| scene.call("apply_diff", &json!({"path": "a.txt", "diff": diff}))).unwrap();
    assert_eq!(scene.bytes("a.txt"), lines("b").as_bytes());
    let old = lines("b").replacen('\n', " \n", 1);
    let arguments = json!({"path": "a.txt", "old_text": old, "new_text": lines("c")});
    soon(|| scene.call("edit_file", &arguments)).unwrap();
    assert_eq!(scene.bytes("a.txt"), lines("c").as_bytes());
}

#[test]
fn replacements_in_one_long_line_are_linear() {
    let scene = Scene::new(&[("a.txt", "ab".repeat(500_000).as_bytes())]);
    let edit = |new: &str| json!({"path": "a.txt", "old_text": "a", "new_text": new, "replace_all": true});
    soon(|| scene.call("edit_file", &edit("x\n"))).unwrap();
    assert_eq!(scene.bytes("a.txt"), "x\nb".repeat(500_000).as_bytes());
}

#[test]
fn a_replacement_that_no_file_can_hold_is_refused_before_its_memory_is_taken() {
    let scene = Scene::new(&[("a.txt", "a".repeat(1_000_000).as_bytes())]);
    let edit =
        json!({"path": "a.txt", "old_text": "a", "new_text": "b".repeat(100_000), "replace_all": true});
    let told = soon(|| scene.call("edit_file", &edit)).unwrap_err();
    assert!(told.contains("after 1000000 replacements"), "{told}");
}

/// A call that is stopped while it plans ends there, and changes nothing.
#[test]
fn a_call_that_is_stopped_ends() {
    let file = "a\n".repeat(300_000);
    let scene = Scene::new(&[("a.txt", file.as_bytes())]);
    let hunks = "@@ a\n".repeat(1_000) + "-b\n+c";
    let all = tools(&scene.workspace);
    let tool = all.iter().find(|tool| tool.spec().name().as_str() == "apply_patch").unwrap();
    let arguments: Value = json!({"patch": update(&hunks)});
    let ctx = Context::new(CallId::new("call_1").unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let told = runtime.block_on(async {
        let payload = payload(&arguments);
        let call = tool.call(&ctx, &payload);
        let stop = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            ctx.cancellation().cancel();
        };
        tokio::join!(call, stop).0.unwrap_err().to_string()
    });
    assert!(told.contains("the call was stopped"), "{told}");
    assert_eq!(scene.bytes("a.txt"), file.as_bytes());
}
