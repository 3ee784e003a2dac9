//! Items that the generated code of the macros refers to. They are not part of the public API and may change
//! in any version.

pub use schemars;
pub use serde;
pub use windlass_partial_json::{Kind, NestedChange, Node};
pub use windlass_protocol::{Concurrency, Effect, Hints, Payload, Risk, ToolName, ToolSpec};
pub use windlass_tool::{Context, GrowingArguments, Output, ProgressSink, Tool, ToolError, ToolFuture};

pub use crate::effects::{DeclareEffects, effects};
pub use crate::partial::{Part, Place};
pub use crate::return_value::{
    DescribeError, DescribeLocalError, ErrorType, Failure, OutputType, PlainValue, RejectError, RejectOutput,
    ReturnValue, SerializeOutput, Success,
};

/// Stores the order of a struct's properties in its schema.
pub fn with_order(schema: schemars::Schema, names: &[&str]) -> schemars::Schema {
    crate::schema::with_order(schema, names)
}

/// Returns the spec of a function with parameters in this order. The macro has already validated the name.
pub fn spec<T: schemars::JsonSchema>(name: &str, description: &str, order: &[&str]) -> ToolSpec {
    let name = ToolName::new(name).expect("the macro lets no other name through");
    ToolSpec::function(name, description, crate::schema::schema_of_function::<T>(order))
}

/// Parses the arguments of a function that are one struct; an error names the place also inside of flattened fields.
///
/// # Errors
/// Returns [`ToolError::Model`] with the place and a description of the error.
pub fn read_typed<T: crate::ToolArgs>(payload: &Payload) -> Result<T, ToolError> {
    T::parse(crate::read::arguments_of(payload)?).map_err(ToolError::from)
}

/// Returns the schema without its description, which is the one of a flattened field.
pub fn remove_description(schema: schemars::Schema) -> schemars::Schema {
    crate::schema::remove_description(schema)
}

/// Fails to compile for a type that cannot be an argument, with a message of this crate.
pub fn assert_argument<T: ArgumentType>() {}

/// A type that can be an argument of a function under `#[tool]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool",
    label = "cannot be read from JSON, or has no JSON Schema",
    note = "put `#[derive(ToolArgs)]` on the struct or enum; for a type of another crate, take one of your own that \
            reads it"
)]
pub trait ArgumentType {}

#[diagnostic::do_not_recommend]
impl<T: serde::de::DeserializeOwned + schemars::JsonSchema> ArgumentType for T {}

/// Returns the spec of a function whose arguments are one struct. The macro has already validated the name.
pub fn spec_of<T: crate::ToolArgs>(name: &str, description: &str) -> ToolSpec {
    let name = ToolName::new(name).expect("the macro lets no other name through");
    ToolSpec::function(name, description, T::schema())
}
