//! Parts that the tools of this crate share: specs, the path argument, and errors for the model.

use windlass_protocol::{ErrorText, Payload, ToolName, ToolSpec};
use windlass_tool::ToolError;

/// Converts the error of a file operation to an error for the model.
pub(crate) fn to_tool_error(error: impl Into<ErrorText>) -> ToolError {
    ToolError::model(error)
}

/// Returns the spec of one of this crate's tools, whose names and schemas are constants that tests check.
pub(crate) fn spec(name: &str, description: &str, schema: &str) -> ToolSpec {
    let name = ToolName::new(name).expect("the tool's name is a plain word");
    ToolSpec::function(name, description, schema.parse().expect("the tool's schema is JSON"))
}

/// Returns the `path` argument. Effects need it even if other arguments are invalid.
pub(crate) fn path_of(payload: &Payload) -> Option<&str> {
    match payload {
        Payload::Function { arguments } | Payload::Mcp { arguments, .. } => arguments.get("path")?.as_str(),
        _ => None,
    }
}
