//! From a payload to a tool's own argument type.

use serde::Deserialize;
use windlass_protocol::Payload;

use crate::ToolError;

/// Reads a payload's arguments into a tool's own type.
///
/// The schema was checked before, so an error here means that the type and the schema differ, or that the
/// call came in a form without JSON arguments; the model is told either way.
///
/// # Errors
/// [`ToolError::Model`] with the field and what was wrong with it.
pub fn read_arguments<T: for<'de> Deserialize<'de>>(payload: &Payload) -> Result<T, ToolError> {
    match payload {
        Payload::Function { arguments } | Payload::Mcp { arguments, .. } => arguments
            .read()
            .map_err(|error| ToolError::model(format!("the arguments do not fit this tool: {error}"))),
        _ => Err(ToolError::model("this tool takes JSON arguments; call it as a function")),
    }
}
