//! What the specs of this crate's tools have in common.

use windlass_protocol::{RawJson, ToolName, ToolSpec};

/// A spec whose name and schema are written in this program.
pub(crate) fn spec(name: &str, description: &str, schema: &str) -> ToolSpec {
    let name = ToolName::new(name).expect("the name is a constant and a test reads it");
    let schema: RawJson = schema.parse().expect("the schema is a constant and a test reads it");
    ToolSpec::function(name, description, schema)
}
