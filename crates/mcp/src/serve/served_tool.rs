//! A tool as a client is told it.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use windlass_protocol::{Hints, Risk, ToolSpec};

/// The words of a tool, its schema, and what its hints say. A client that believes them asks less, so nothing is said that
/// does not hold for every call.
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

/// The protocol knows functions only: free text comes as one argument.
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
    // The protocol wants this word, whatever else the schema says.
    schema.entry("type").or_insert_with(|| json!("object"));
    schema
}
