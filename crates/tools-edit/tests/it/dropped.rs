//! Calls whose future is dropped: nothing changes after that.

use std::sync::mpsc;
use std::task::{Context as TaskContext, Poll, Waker};

use serde_json::json;
use windlass_protocol::CallId;
use windlass_tool::Context;
use windlass_tools_edit::tools;

use crate::scene::{Scene, payload};

// The engine drops the future of a call that does not stop, and reports that call as cancelled.
#[test]
fn a_dropped_call_that_waits_for_a_thread_changes_nothing() {
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
        let ctx = Context::new(CallId::new("call_1").unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        let (free, is_free) = mpsc::channel::<()>();
        runtime.block_on(async {
            let busy = tokio::task::spawn_blocking(move || is_free.recv().unwrap());
            let payload = payload(&arguments);
            let mut call = tool.call(&ctx, &payload);
            let polled = call.as_mut().poll(&mut TaskContext::from_waker(Waker::noop()));
            assert!(matches!(polled, Poll::Pending), "{name} waits for the thread");
            drop(call);
            free.send(()).unwrap();
            busy.await.unwrap();
            // The thread takes its work in order, so the work of the call is over after this.
            tokio::task::spawn_blocking(|| ()).await.unwrap();
        });
        assert_eq!(scene.bytes("a.txt"), b"one\n", "{name}");
        assert!(!scene.at("b.txt").exists(), "{name}");
    }
}
