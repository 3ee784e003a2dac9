//! From a payload to a tool's own argument type.

use serde::de::DeserializeOwned;
use windlass_protocol::Payload;

use crate::{ToolError, arguments};

/// Reads a payload's arguments into a tool's own type.
///
/// The schema was checked before, so an error here means that the type and the schema differ, or that the
/// call came in a form without JSON arguments; the model is told either way.
///
/// # Errors
/// [`ToolError::Model`] with the place and what was wrong there.
pub fn read_arguments<T: DeserializeOwned>(payload: &Payload) -> Result<T, ToolError> {
    match payload {
        Payload::Function { arguments } | Payload::Mcp { arguments, .. } => {
            arguments::read(arguments).map_err(ToolError::from)
        }
        _ => Err(ToolError::model("this tool takes JSON arguments; call it as a function")),
    }
}
