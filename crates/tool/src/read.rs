//! Deserialization of a payload into a tool's own argument type.

use serde::de::DeserializeOwned;
use windlass_protocol::Payload;

use crate::{ToolError, arguments};

/// Deserializes a payload's arguments into a tool's own type.
///
/// The toolbox has already validated the arguments against the schema. An error therefore means that the type
/// and the schema differ, or that the payload has no JSON arguments. The model receives the error in both
/// cases.
///
/// # Errors
/// Returns [`ToolError::Model`] with the place and a description of the error.
pub fn read_arguments<T: DeserializeOwned>(payload: &Payload) -> Result<T, ToolError> {
    match payload {
        Payload::Function { arguments } | Payload::Mcp { arguments, .. } => {
            arguments::read(arguments).map_err(ToolError::from)
        }
        _ => Err(ToolError::model("this tool takes JSON arguments; call it as a function")),
    }
}
