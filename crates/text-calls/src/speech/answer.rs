//! The schema of a structured answer.

use serde_json::json;
use windlass_protocol::{OutputSchema, ToolSpec};

/// An answer with words, calls of these tools, and whether there is more to do. The order of the properties is the
/// order in which a model that is held to it writes them: words come before the calls that they explain.
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

/// A call of one tool. Its schema keeps the author's order, so it goes in as its text.
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
