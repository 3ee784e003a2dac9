//! Tests of prompts.

use serde_json::{Value, json};
use windlass_app::Task;

use super::{Block, to_task};

fn read(blocks: Value) -> Result<Task, String> {
    let blocks: Vec<Block> = serde_json::from_value(blocks).map_err(|error| error.to_string())?;
    to_task(&blocks).map_err(|error| error.message)
}

fn task(blocks: Value) -> Result<String, String> {
    read(blocks).map(|task| task.text)
}

/// A picture with one pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

#[test]
fn pictures_and_binary_files_are_parts_of_the_task() {
    let blocks = json!([
        {"type": "image", "data": PIXEL, "mimeType": "image/png"},
        {"type": "text", "text": "What are they?"},
        {"type": "resource", "resource": {"uri": "file:///p/dot.png", "blob": PIXEL}},
    ]);
    let task = read(blocks).unwrap();
    assert_eq!(task.text, "What are they?");
    assert_eq!(task.parts.len(), 2, "{task:?}");
}

#[test]
fn embedded_resources_follow_the_prompt_text() {
    let blocks = json!([
        {"type": "text", "text": "Explain "},
        {"type": "resource_link", "uri": "file:///p/b.rs", "name": "b.rs"},
        {"type": "resource", "resource": {"uri": "file:///p/a.md", "text": "```\nx\n```"}},
        {"type": "text", "text": ", please."},
    ]);
    let expected = "Explain [/p/b.rs], please.\n\nContent of /p/a.md:\n````\n```\nx\n```\n````";
    assert_eq!(task(blocks).unwrap(), expected);
}

#[test]
fn content_that_a_task_cannot_have_is_refused() {
    let with = |block: Value| task(json!([{"type": "text", "text": "x"}, block])).unwrap_err();
    with(json!({"type": "image", "data": "AA==", "mimeType": "image/png"}));
    assert!(with(json!({"type": "image", "data": "?", "mimeType": "image/png"})).contains("picture.png"));
    assert!(with(json!({"type": "audio", "data": "AA==", "mimeType": "audio/wav"})).contains("sound"));
    assert!(
        task(json!([{"type": "image", "data": PIXEL, "mimeType": "image/png"}]))
            .unwrap_err()
            .contains("empty")
    );
    assert!(task(json!([])).unwrap_err().contains("empty"));
    assert!(task(json!([{"type": "text", "text": " \n"}])).unwrap_err().contains("empty"));
    let many: Vec<Value> = (0..2_000).map(|_| json!({"type": "text", "text": "x"})).collect();
    assert!(task(Value::Array(many)).unwrap_err().contains("at most"));
}
