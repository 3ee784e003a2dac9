//! JSON values as server-sent events.

use serde_json::Value;

/// Returns a chunk or an event as a server-sent event, with the empty line that ends it.
///
/// ```
/// let line = windlass_ui_stream::to_sse(&serde_json::json!({ "type": "start-step" }));
/// assert_eq!(line, "data: {\"type\":\"start-step\"}\n\n");
/// ```
pub fn to_sse(value: &Value) -> String {
    // JSON has no line breaks outside of its strings, and escapes those in strings.
    format!("data: {value}\n\n")
}
