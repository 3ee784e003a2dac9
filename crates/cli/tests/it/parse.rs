//! `windlass parse`: every stage, in both formats, and however the bytes are cut.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::windlass::Windlass;

const CHAT: &str = concat!(
    "data: {\"choices\":[{\"delta\":{\"content\":\"I look.\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":",
    "{\"name\":\"read_file\",\"arguments\":\"{\\\"path\\\":\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":",
    "{\"arguments\":\"\\\"a\\\"}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
);

const ANTHROPIC: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",",
    "\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,",
    "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,",
    "\"delta\":{\"type\":\"text_delta\",\"text\":\"I look.\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,",
    "\"content_block\":{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"read_file\",\"input\":{}}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,",
    "\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"path\\\":\\\"a\\\"}\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},",
    "\"usage\":{\"output_tokens\":9}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
);

fn lines(windlass: &Windlass, wire: &str, stage: &str, bytes: &str) -> Vec<Value> {
    let ended = windlass.run_with(&["parse", "--wire", wire, "--stage", stage, "-"], &[], bytes);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{wire} {stage}");
    ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[track_caller]
fn check(wire: &str, bytes: &str, events: usize, finish: &str) {
    let windlass = Windlass::new();
    assert_eq!(lines(&windlass, wire, "sse", bytes).len(), events);
    let chunks = lines(&windlass, wire, "chunk", bytes);
    assert!(chunks.iter().any(|chunk| chunk.to_string().contains("I look.")), "{chunks:?}");
    let calls = lines(&windlass, wire, "call", bytes);
    assert!(calls.iter().any(|event| event["partial"] == json!({ "path": "a" })), "{calls:?}");
    let message = lines(&windlass, wire, "message", bytes);
    assert_eq!(message.len(), 1);
    assert_eq!(message[0]["text"], "I look.");
    assert_eq!(
        message[0]["tool_calls"],
        json!([{ "id": "c1", "name": "read_file", "arguments": { "path": "a" } }])
    );
    assert_eq!(message[0]["finish"], finish);
}

#[test]
fn each_stage_shows_its_own_view() {
    check("openai-chat", CHAT, 5, "tool_calls");
    check("anthropic", ANTHROPIC, 9, "tool_use");
}

/// The recorded streams of a format, in order.
fn recordings(krate: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(krate).join("tests/data");
    let mut files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sse"))
        .map(|path| path.to_str().unwrap().to_owned())
        .collect();
    files.sort();
    assert!(files.len() > 15, "{files:?}");
    files
}

// S14
#[test]
fn single_bytes_give_the_same_as_the_whole() {
    let windlass = Windlass::new();
    for (wire, krate) in [("openai-chat", "wire-openai-chat"), ("anthropic", "wire-anthropic")] {
        let files = recordings(krate);
        for stage in ["sse", "chunk", "call", "message"] {
            let run = |split: &[&str]| {
                let mut arguments = vec!["parse", "--wire", wire, "--stage", stage];
                arguments.extend(split);
                arguments.extend(files.iter().map(String::as_str));
                windlass.run(&arguments)
            };
            let whole = run(&[]);
            assert!(whole.out.lines().count() >= files.len(), "{wire} {stage}: {}", whole.out);
            assert_eq!(run(&["--split", "1"]), whole, "{wire} {stage}");
            assert_eq!(run(&["--split", "7"]), whole, "{wire} {stage}");
        }
    }
}

#[test]
fn one_bad_file_does_not_hide_the_others() {
    let windlass = Windlass::new();
    let (bad, good) = (windlass.file("bad.sse", "data: nope\n\n"), windlass.file("good.sse", CHAT));
    let ended = windlass.run(&["parse", "--wire", "openai-chat", &bad, &good]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("bad.sse cannot be decoded"), "{}", ended.err);
    assert!(ended.out.contains("good.sse") && ended.out.contains("I look."), "{}", ended.out);
}
