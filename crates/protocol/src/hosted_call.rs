//! Calls that the provider ran.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A call that the provider runs itself, for observers. The answer keeps the provider's original in a
/// [`Part::Unknown`](crate::Part::Unknown), which is sent back; nothing executes this value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HostedCall {
    /// The provider's id of the call; an empty text if the provider sends none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The name of the tool, as the provider writes it.
    pub name: String,
    /// The label of the MCP server that has the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The arguments.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub arguments: Value,
}

/// The end of a call that the provider ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HostedResult {
    /// The provider's id of the call; an empty text if the provider sends none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The name of the tool, as far as the provider repeats it.
    pub name: String,
    /// The result in the form of the provider, without the bytes of pictures.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub content: Value,
    /// The provider's description or code of the failure; `None` if the call succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl HostedCall {
    /// Creates a call.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: Value) -> Self {
        Self { id: id.into(), name: name.into(), server: None, arguments }
    }

    /// Sets the label of the MCP server.
    pub fn with_server(mut self, label: Option<String>) -> Self {
        self.server = label;
        self
    }
}

impl HostedResult {
    /// Creates the result of a call that succeeded.
    pub fn new(id: impl Into<String>, name: impl Into<String>, content: Value) -> Self {
        Self { id: id.into(), name: name.into(), content, error: None }
    }

    /// Sets the failure.
    pub fn with_error(mut self, error: Option<String>) -> Self {
        self.error = error;
        self
    }
}
