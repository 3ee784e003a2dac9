//! Help for the definitions of tools that the provider runs.

use std::borrow::Cow;

use serde_json::{Map, Value};
use windlass_protocol::{HostedTool, UserLocation};

use crate::EncodeError;

/// The definition of a hosted tool in a body: the caller's own, or one that a format computed.
pub type NativeTool<'a> = Cow<'a, Value>;

/// Builder of the errors about one hosted tool that a format cannot express. Each error names the tool, and the setting
/// if the format only lacks the setting.
///
/// ```
/// use windlass_protocol::{CodeExecution, HostedTool};
/// use windlass_wire::HostedToolError;
/// let tool = HostedTool::from(CodeExecution::default());
/// let error = HostedToolError::new("openai-chat", &tool);
/// assert_eq!(error.missing().to_string(), "openai-chat cannot carry the hosted tool `code_execution`");
/// let files = error.refuse([("files", true)]).unwrap_err();
/// assert_eq!(files.to_string(), "openai-chat cannot carry `files` of the hosted tool `code_execution`");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HostedToolError<'a> {
    wire: &'static str,
    tool: &'a HostedTool,
}

impl<'a> HostedToolError<'a> {
    /// Creates the builder for a tool in the format with this name.
    pub fn new(wire: &'static str, tool: &'a HostedTool) -> Self {
        Self { wire, tool }
    }

    /// Returns the error of a format without the tool.
    pub fn missing(&self) -> EncodeError {
        EncodeError::Unsupported { wire: self.wire, what: format!("the hosted tool {}", self.tool) }
    }

    /// Checks for settings that the format does not have: each with its name, and whether the tool sets it.
    ///
    /// # Errors
    /// Returns an error that names the first setting that is set.
    pub fn refuse<'s>(&self, settings: impl IntoIterator<Item = (&'s str, bool)>) -> Result<(), EncodeError> {
        match settings.into_iter().find(|(_, is_set)| *is_set) {
            None => Ok(()),
            Some((name, _)) => {
                let what = format!("`{name}` of the hosted tool {}", self.tool);
                Err(EncodeError::Unsupported { wire: self.wire, what })
            }
        }
    }
}

/// Creates an object from the fields that have a value. The fields are inserted in the order of their names, so that the
/// bytes are equal whether `serde_json` keeps the order of insertion or not (RULES N6).
///
/// ```
/// use serde_json::Value;
/// let object = windlass_wire::build_object([("type", Some("mcp".into())), ("id", Some(7.into())), ("url", None)]);
/// assert_eq!(object.to_string(), r#"{"id":7,"type":"mcp"}"#);
/// ```
pub fn build_object<'a>(fields: impl IntoIterator<Item = (&'a str, Option<Value>)>) -> Value {
    let mut fields: Vec<_> = fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    fields.sort_by_key(|(name, _)| *name);
    Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

/// Returns a list of texts, or `None` if it is empty.
pub fn text_list(texts: &[String]) -> Option<Value> {
    (!texts.is_empty()).then(|| Value::from(texts))
}

/// Returns the fields of a place, which OpenAI and Anthropic spell alike.
pub fn location_fields(location: &UserLocation) -> [(&'static str, Option<Value>); 4] {
    let text = |text: &Option<String>| text.as_deref().map(Value::from);
    [
        ("city", text(&location.city)),
        ("country", text(&location.country)),
        ("region", text(&location.region)),
        ("timezone", text(&location.timezone)),
    ]
}
