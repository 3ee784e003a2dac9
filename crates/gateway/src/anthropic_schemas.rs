//! The input of Anthropic's tools that the client runs.

use serde_json::{Value, json};

/// Returns the description and the documented input of a tool of Anthropic's own schema that the client runs.
pub(crate) fn anthropic_schema(kind: &str) -> Option<(&'static str, Value)> {
    let text = json!({ "type": "string" });
    let range = json!({ "type": "array", "items": { "type": "integer" } });
    if kind.starts_with("bash_") {
        let properties = json!({ "command": text, "restart": { "type": "boolean" } });
        return Some(("Runs a command in a persistent bash session.", object(&properties, &[])));
    }
    if kind.starts_with("text_editor_") {
        let commands = json!({ "type": "string", "enum": ["view", "create", "str_replace", "insert"] });
        let properties = json!({ "command": commands, "path": text, "view_range": range, "file_text": text,
            "old_str": text, "new_str": text, "insert_line": { "type": "integer" }, "insert_text": text });
        return Some(("Views and edits text files.", object(&properties, &["command", "path"])));
    }
    if kind.starts_with("memory_") {
        let commands = json!({ "type": "string",
            "enum": ["view", "create", "str_replace", "insert", "delete", "rename"] });
        let properties = json!({ "command": commands, "path": text, "view_range": range, "file_text": text,
            "old_str": text, "new_str": text, "insert_line": { "type": "integer" }, "insert_text": text,
            "old_path": text, "new_path": text });
        return Some(("Views and edits files in the folder /memories.", object(&properties, &["command"])));
    }
    None
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}
