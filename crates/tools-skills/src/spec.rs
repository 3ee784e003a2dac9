//! The common construction of this crate's tool specs.

use windlass_protocol::{RawJson, ToolName, ToolSpec};

/// Builds a spec from a constant name and schema.
pub(crate) fn spec(name: &str, description: &str, schema: &str) -> ToolSpec {
    let name = ToolName::new(name).expect("the name is a constant and a test reads it");
    let schema: RawJson = schema.parse().expect("the schema is a constant and a test reads it");
    ToolSpec::function(name, description, schema)
}
