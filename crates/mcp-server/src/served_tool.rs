//! Conversion of a tool's spec to MCP's definition of a tool.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use windlass_protocol::{Hints, Risk, ToolSpec};

/// Converts name, description, schema and hints of a tool. A client may ask its human less often because of
/// annotations, so they state only properties that each call has.
pub(crate) fn served(spec: &ToolSpec, hints: Hints) -> Tool {
    let (name, description) = (spec.name().to_string(), spec.description().to_owned());
    let is_destructive = !hints.read_only && hints.risk > Risk::Low;
    let annotations = ToolAnnotations::new()
        .read_only(hints.read_only)
        .destructive(is_destructive)
        .idempotent(hints.idempotent)
        .open_world(hints.open_world);
    Tool::new(name, description, Arc::new(schema(spec))).with_annotations(annotations)
}

/// Returns the schema of the arguments. MCP has only functions, so a tool with free text gets one string
/// argument.
fn schema(spec: &ToolSpec) -> JsonObject {
    let schema = match spec {
        ToolSpec::Function { parameters, .. } => parameters.to_value(),
        _ => json!({
            "type": "object",
            "properties": {"input": {"type": "string", "description": "The text."}},
            "required": ["input"],
        }),
    };
    let mut schema = match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    // MCP requires `type` in the schema.
    schema.entry("type").or_insert_with(|| json!("object"));
    schema
}
