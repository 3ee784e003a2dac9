//! Tests of prompts.

use serde_json::{Value, json};

use super::{Block, to_task};

fn task(blocks: Value) -> Result<String, String> {
    let blocks: Vec<Block> = serde_json::from_value(blocks).map_err(|error| error.to_string())?;
    to_task(&blocks).map_err(|error| error.message)
}

#[test]
fn embedded_texts_follow_the_words() {
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
    let image =
        json!([{"type": "text", "text": "x"}, {"type": "image", "data": "AA==", "mimeType": "image/png"}]);
    assert!(task(image).unwrap_err().contains("pictures"));
    let blob = json!([{"type": "resource", "resource": {"uri": "file:///a.bin", "blob": "AA=="}}]);
    assert!(task(blob).unwrap_err().contains("binary"));
    assert!(task(json!([])).unwrap_err().contains("empty"));
    assert!(task(json!([{"type": "text", "text": " \n"}])).unwrap_err().contains("empty"));
    let many: Vec<Value> = (0..2_000).map(|_| json!({"type": "text", "text": "x"})).collect();
    assert!(task(Value::Array(many)).unwrap_err().contains("at most"));
}
