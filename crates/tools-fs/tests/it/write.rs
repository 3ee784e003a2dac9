//! `write_file`.

use serde_json::json;
use windlass_protocol::ToolSpec;
use windlass_tool::{GrowingArguments, Progress, ProgressSink};

use crate::scene::{Scene, payload};

#[test]
fn a_new_file_is_made_with_its_folders() {
    let scene = Scene::new();
    let told = scene.call("write_file", &json!({"path": "a/b/c.txt", "content": "x\ny\n"})).unwrap();
    assert_eq!(told, "created a/b/c.txt (2 lines)");
    assert_eq!(scene.bytes("a/b/c.txt"), b"x\ny\n");
    let told = scene.call("write_file", &json!({"path": "a.rs", "content": "```rust\nx\n```"})).unwrap();
    assert!(told.contains("fence"), "{told}");
    assert_eq!(scene.bytes("a.rs"), b"x\n");
}

// E5
#[test]
fn an_existing_file_is_only_replaced_after_it_was_read() {
    let scene = Scene::new();
    scene.put("a.txt", "one\ntwo\n");
    let write = json!({"path": "a.txt", "content": "one\n2\n"});
    assert!(scene.call("write_file", &write).unwrap_err().contains("Call read_file on it first"));
    scene.call("read_file", &json!({"path": "a.txt"})).unwrap();
    scene.put("a.txt", "one\ntwo\nthree\n");
    assert!(scene.call("write_file", &write).unwrap_err().contains("changed since it was read"));
    assert_eq!(scene.bytes("a.txt"), b"one\ntwo\nthree\n");
    scene.call("read_file", &json!({"path": "a.txt"})).unwrap();
    let told = scene.call("write_file", &write).unwrap();
    assert!(told.starts_with("overwrote a.txt (2 lines)\n--- a/a.txt\n+++ b/a.txt\n@@"), "{told}");
    assert!(told.contains("\n-two\n") && told.contains("\n+2\n"), "{told}");
    // Written content is known: it can be replaced again without another read.
    scene.call("write_file", &json!({"path": "a.txt", "content": "3\n"})).unwrap();
    let same = scene.call("write_file", &json!({"path": "a.txt", "content": "3\n"})).unwrap();
    assert!(same.contains("nothing was changed"), "{same}");
}

#[test]
fn a_long_diff_is_cut_with_exact_counts() {
    let scene = Scene::new();
    scene.call("write_file", &json!({"path": "a.txt", "content": "x\n".repeat(200)})).unwrap();
    let told = scene.call("write_file", &json!({"path": "a.txt", "content": "y\n".repeat(200)})).unwrap();
    assert!(told.ends_with("[60 of 403 lines of the diff shown]\n"), "{told}");
}

// N6: the model reads the same bytes in each run, and the path comes before the content.
#[test]
fn the_schema_is_short_and_in_order() {
    let scene = Scene::new();
    let ToolSpec::Function { parameters, .. } = scene.tool("write_file").spec() else {
        unreachable!("it is a function")
    };
    let expected = r#"{"type":"object","properties":{"path":{"type":"string","description":"The file, relative to the workspace."},"content":{"type":"string","description":"The whole content of the file, with its final newline."}},"required":["path","content"],"additionalProperties":false}"#;
    assert_eq!(parameters.as_str(), expected);
}

// H3: the arguments are shown while they arrive, and no file is changed.
#[test]
fn a_call_is_shown_while_it_arrives() {
    let scene = Scene::new();
    let tool = scene.tool("write_file");
    let (mut told, mut arguments) = (Vec::new(), GrowingArguments::default());
    for delta in ["", r#"{"path": "a"#, r#".txt", "con"#, r#"tent": "x\n"#, r#"y", "more": 1}"#] {
        arguments.push(delta);
        tool.on_partial(&mut ProgressSink::new(&mut |progress| told.push(progress)), &mut arguments);
    }
    let output = |text: &str| Progress::Output(text.to_owned());
    assert_eq!(told, [Progress::Note("wants to write a.txt".to_owned()), output("x\n"), output("y")]);
    assert!(!scene.folder.path().join("work/a.txt").exists());
}

// E8
#[test]
fn a_file_in_another_encoding_keeps_it() {
    let scene = Scene::new();
    scene.put("a.txt", b"\xff\xfea\0\n\0");
    scene.call("read_file", &json!({"path": "a.txt"})).unwrap();
    let told = scene.call("write_file", &json!({"path": "a.txt", "content": "\u{e9}\n"})).unwrap();
    assert!(
        told.starts_with("overwrote a.txt (1 line, still in UTF-16LE)") && told.contains("+\u{e9}"),
        "{told}"
    );
    assert_eq!(scene.bytes("a.txt"), b"\xff\xfe\xe9\0\n\0");
    scene.put("b.txt", b"caf\xe9\n");
    scene.call("read_file", &json!({"path": "b.txt"})).unwrap();
    let told = scene.call("write_file", &json!({"path": "b.txt", "content": "\u{3b1}"})).unwrap_err();
    assert!(told.contains("`\u{3b1}` cannot be written in Windows-1252"), "{told}");
    assert_eq!(scene.bytes("b.txt"), b"caf\xe9\n");
}

// E5
#[test]
fn create_file_never_replaces_a_file() {
    let scene = Scene::new();
    let make = json!({"path": "a/b.txt", "content": "one\n"});
    assert_eq!(
        scene.inspect("create_file", &make).changes[0].diff,
        "--- /dev/null\n+++ b/a/b.txt\n@@ -0,0 +1 @@\n+one\n"
    );
    assert_eq!(scene.call("create_file", &make).unwrap(), "created a/b.txt (1 line)");
    // The write is refused even with the present content, and even after a read.
    scene.call("read_file", &json!({"path": "a/b.txt"})).unwrap();
    let told = scene.call("create_file", &make).unwrap_err();
    assert!(told.contains("exists already; nothing was written\nChange it with edit_file"), "{told}");
    assert_eq!(scene.inspect("create_file", &make).changes, []);
    assert_eq!(scene.bytes("a/b.txt"), b"one\n");
    let write = windlass_protocol::Effect::Write { path: "../a".into(), bytes: Some(1) };
    assert_eq!(scene.effects("create_file", &json!({"path": "../a", "content": "x"})), [write]);
    scene.call("create_file", &json!({"path": "../a", "content": "x"})).unwrap_err();
    scene.call("create_file", &json!({"path": "a", "content": "x"})).unwrap_err();
}

// The write works on a thread of its own, so a dropped call neither cuts it nor leaves its temporary file.
#[test]
fn a_dropped_write_leaves_the_whole_file_or_none_and_nothing_else() {
    let scene = Scene::new();
    let content = "line\n".repeat(200_000);
    for number in 0..8 {
        let ctx = windlass_tool::Context::new(windlass_protocol::CallId::new("c").unwrap());
        let arguments = payload(&json!({"path": format!("{number}.txt"), "content": content}));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut call = scene.tool("write_file").call(&ctx, &arguments);
            std::future::poll_fn(|cx| {
                let _ = call.as_mut().poll(cx);
                std::task::Poll::Ready(())
            })
            .await;
        });
        // Waits for the thread.
        runtime.shutdown_timeout(std::time::Duration::from_mins(1));
    }
    for entry in std::fs::read_dir(scene.at(".")).unwrap() {
        let entry = entry.unwrap();
        assert!(!entry.file_name().to_string_lossy().starts_with('.'), "{entry:?} is left");
        assert_eq!(std::fs::read(entry.path()).unwrap(), content.as_bytes());
    }
}
