//! Calls of a model.

use serde::{Deserialize, Serialize};

use crate::{Arguments, CallId, Opaque, ToolName};

/// One complete call of a model.
///
/// ```
/// use windlass_protocol::{Arguments, CallId, ToolCall, ToolName};
/// let call = ToolCall::function(
///     CallId::new("call_1")?,
///     ToolName::new("read_file")?,
///     Arguments::parse(r#"{"path":"README.md"}"#)?,
/// );
/// assert_eq!(call.payload.text(), r#"{"path":"README.md"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// The id that links the call to its result.
    pub id: CallId,
    /// The name that the model used.
    pub name: ToolName,
    /// The input of the tool.
    pub payload: Payload,
    /// Fields of the provider that must be sent back with the call (RULES P2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// The payload of a call, by kind of tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Payload {
    /// A function with JSON arguments.
    Function {
        /// The finished arguments.
        arguments: Arguments,
    },
    /// A tool with free text as input, such as a patch or a query.
    Custom {
        /// The text as the model wrote it.
        input: String,
    },
    /// A tool of an MCP server that the provider addresses by server and tool.
    Mcp {
        /// The name of the configured server.
        server: String,
        /// The tool's name on that server.
        tool: String,
        /// The complete arguments.
        arguments: Arguments,
    },
    /// The provider's built-in local shell.
    LocalShell {
        /// The program and its arguments.
        command: Vec<String>,
        /// The working directory, if the model specified one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        working_directory: Option<String>,
        /// The time limit in milliseconds, if the model specified one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
    },
}

impl ToolCall {
    /// Creates a call of a function.
    pub fn function(id: CallId, name: ToolName, arguments: Arguments) -> Self {
        Self::new(id, name, Payload::Function { arguments })
    }

    /// Creates a call with any payload.
    pub fn new(id: CallId, name: ToolName, payload: Payload) -> Self {
        Self { id, name, payload, opaque: None }
    }

    /// Sets the provider's fields.
    pub fn with_opaque(mut self, opaque: Option<Opaque>) -> Self {
        self.opaque = opaque;
        self
    }

    /// Returns the JSON arguments, if the payload has them.
    pub fn arguments(&self) -> Option<&Arguments> {
        match &self.payload {
            Payload::Function { arguments } | Payload::Mcp { arguments, .. } => Some(arguments),
            Payload::Custom { .. } | Payload::LocalShell { .. } => None,
        }
    }

    /// Returns the provider's id of the program that made the call, or `None` if the model itself made it. The program is
    /// shown as a [`HostedCall`](crate::HostedCall) with the same id.
    pub fn program_id(&self) -> Option<&str> {
        // The formats with programs send the field `caller` with a call, and require it back.
        let caller = self.opaque.as_ref()?.value.get("caller")?;
        ["tool_id", "caller_id"].into_iter().find_map(|name| caller.get(name)?.as_str())
    }

    /// Returns a text that is equal for calls with the same name and input, independent of key order
    /// (RULES L4). The time limit of a local shell is not included.
    pub fn fingerprint(&self) -> String {
        let payload = match &self.payload {
            Payload::Function { arguments } => arguments.canonical(),
            Payload::Custom { input } => input.clone(),
            Payload::Mcp { server, tool, arguments } => {
                format!("{server}\u{0}{tool}\u{0}{}", arguments.canonical())
            }
            Payload::LocalShell { command, working_directory, .. } => {
                format!("{}\u{0}{}", command.join("\u{0}"), working_directory.as_deref().unwrap_or(""))
            }
        };
        format!("{}\u{0}{payload}", self.name)
    }
}

impl Payload {
    /// Returns the input as the model wrote it, as one text. The words of a local shell's command are joined
    /// with spaces.
    pub fn text(&self) -> String {
        match self {
            Self::Function { arguments } | Self::Mcp { arguments, .. } => arguments.as_str().to_owned(),
            Self::Custom { input } => input.clone(),
            Self::LocalShell { command, .. } => command.join(" "),
        }
    }
}
