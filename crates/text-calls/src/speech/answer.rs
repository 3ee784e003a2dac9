//! The schema of a structured answer.

use serde_json::json;
use windlass_protocol::{OutputSchema, ToolSpec};

/// Builds the schema of an answer with content, calls of these tools, and `needsMoreWork`. A constrained
/// model writes the properties in the schema's order, so the content comes before the calls that it explains.
pub(super) fn schema(tools: &[ToolSpec]) -> OutputSchema {
    let calls: Vec<String> = tools.iter().map(call).collect();
    let text = format!(
        concat!(
            r#"{{"type":"object","properties":{{"content":{{"type":"string"}},"#,
            r#""toolCalls":{{"type":"array","items":{{"anyOf":[{}]}}}},"#,
            r#""needsMoreWork":{{"type":"boolean"}}}},"#,
            r#""required":["content","toolCalls","needsMoreWork"],"additionalProperties":false}}"#
        ),
        calls.join(",")
    );
    let schema = text.parse().unwrap_or_default();
    OutputSchema::new("answer", schema).with_description(Some("Words, calls of tools, or both.".to_owned()))
}

/// Builds the schema of a call of one tool. The parameters are inserted as source text, because that keeps
/// the author's property order.
fn call(tool: &ToolSpec) -> String {
    let name = json!(tool.name().as_str());
    let parameters = match tool {
        ToolSpec::Function { parameters, .. } => parameters.as_str(),
        _ => r#"{"type":"object"}"#,
    };
    format!(
        concat!(
            r#"{{"type":"object","properties":{{"name":{{"type":"string","enum":[{}]}},"arguments":{}}},"#,
            r#""required":["name","arguments"],"additionalProperties":false}}"#
        ),
        name, parameters
    )
}
