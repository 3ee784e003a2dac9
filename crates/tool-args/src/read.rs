//! Deserialization of a payload into a tool's own argument type.

use serde::de::DeserializeOwned;
use windlass_protocol::{Arguments, Payload};
use windlass_tool::ToolError;

use crate::unfit::ArgumentsUnfit;

/// Deserializes a payload's arguments into a tool's own type.
///
/// The toolbox has already validated the arguments against the schema. An error therefore means that the type
/// and the schema differ, or that the payload has no JSON arguments. The model receives the error in both
/// cases.
///
/// # Errors
/// Returns [`ToolError::Model`] with the place and a description of the error.
pub fn read_arguments<T: DeserializeOwned>(payload: &Payload) -> Result<T, ToolError> {
    parse(arguments_of(payload)?).map_err(ToolError::from)
}

/// Returns the JSON arguments of a payload.
pub(crate) fn arguments_of(payload: &Payload) -> Result<&Arguments, ToolError> {
    match payload {
        Payload::Function { arguments } | Payload::Mcp { arguments, .. } => Ok(arguments),
        _ => Err(ToolError::model("this tool takes JSON arguments").with_advice("Call it as a function.")),
    }
}

/// Deserializes complete arguments; an error names its place.
pub(crate) fn parse<T: DeserializeOwned>(arguments: &Arguments) -> Result<T, ArgumentsUnfit> {
    // Deserialize from the text instead of a `Value`, so that numbers keep all digits.
    let mut text = serde_json::Deserializer::from_str(arguments.as_str());
    serde_path_to_error::deserialize(&mut text).map_err(|error| {
        let path = pointer(error.path());
        let message = error.inner().to_string();
        // Cut off line and column: the model does not see the JSON text with its lines.
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        ArgumentsUnfit { path, message: message.to_owned() }
    })
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let mut pointer = String::new();
    for segment in path {
        let token = match segment {
            Segment::Seq { index } => index.to_string(),
            Segment::Map { key } => key.replace('~', "~0").replace('/', "~1"),
            // An enum variant has no token of its own in a JSON Pointer, and an unknown segment has no name.
            Segment::Enum { .. } | Segment::Unknown => continue,
        };
        pointer.push('/');
        pointer.push_str(&token);
    }
    pointer
}
