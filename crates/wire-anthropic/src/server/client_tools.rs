//! Anthropic's tools that the client runs, as functions for other formats.

use serde_json::{Value, json};
use windlass_protocol::{HostedTool, RawJson, Request, ToolName, ToolSpec};

use crate::names::NAME;

/// Replaces the tools that the client runs by functions. The names of their calls stay.
pub(crate) fn replace(request: &mut Request) {
    let hosted = std::mem::take(&mut request.options.hosted_tools);
    for tool in hosted {
        let spec = match &tool {
            HostedTool::Native(native) if native.wire == NAME => function(&native.value),
            _ => None,
        };
        match spec {
            Some(spec) => request.tools.push(spec),
            None => request.options.hosted_tools.push(tool),
        }
    }
}

fn function(tool: &Value) -> Option<ToolSpec> {
    let text = |name: &str| tool.get(name).and_then(Value::as_str);
    let (description, schema) = schema(text("type")?)?;
    let parameters: RawJson = schema.to_string().parse().ok()?;
    Some(ToolSpec::function(ToolName::new(text("name")?).ok()?, description, parameters))
}

/// Returns the description and the documented input of a tool.
fn schema(kind: &str) -> Option<(&'static str, Value)> {
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
