//! Items that the generated code of the macros refers to. They are not part of the public API and may change
//! in any version.

pub use schemars;
pub use serde;
pub use windlass_partial_json::{Kind, NestedChange, Node};
pub use windlass_protocol::{Concurrency, Effect, Hints, Payload, Risk, ToolName, ToolSpec};
pub use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};

pub use crate::partial::{Part, Place};

/// Stores the order of a struct's properties in its schema.
pub fn with_order(schema: schemars::Schema, names: &[&str]) -> schemars::Schema {
    crate::schema::with_order(schema, names)
}

/// Returns the spec of a function. The macro has already validated the name.
pub fn spec<T: schemars::JsonSchema>(name: &str, description: &str, order: &[&str]) -> ToolSpec {
    let name = ToolName::new(name).expect("the macro lets no other name through");
    ToolSpec::function(name, description, crate::schema::schema_in_order::<T>(Some(order)))
}
