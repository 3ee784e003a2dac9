//! The JSON Schema of the feed.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::event::{FeedEvent, FeedHeader};

/// Line of the feed as `windlass run --json` prints it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum FeedLine {
    /// The first line.
    Header(FeedHeader),
    /// Every other line.
    Event(Box<FeedEvent>),
}

/// Returns the JSON Schema of a line of the feed. The repository contains it as `docs/events.schema.json`.
pub fn feed_schema() -> Value {
    let mut schema = schemars::schema_for!(FeedLine).to_value();
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("title".to_owned(), Value::from("Windlass feed, version 1"));
    }
    schema
}
