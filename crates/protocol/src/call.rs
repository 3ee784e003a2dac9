//! A call: what the model asks for.

use serde::{Deserialize, Serialize};

use crate::{Arguments, CallId, Opaque, ToolName};

/// One finished call of a model.
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
    /// Ties the call to its one result.
    pub id: CallId,
    /// The name that the model used.
    pub name: ToolName,
    /// What is handed to the tool.
    pub payload: Payload,
    /// Fields of the provider that must go back with the call (RULES P2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// The forms that a call takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Payload {
    /// A function with JSON arguments.
    Function {
        /// The finished arguments.
        arguments: Arguments,
    },
    /// A tool that takes free text, as a patch or a query.
    Custom {
        /// The text as the model wrote it.
        input: String,
    },
    /// A tool of an MCP server that the provider itself names by server and tool.
    Mcp {
        /// The configured server.
        server: String,
        /// The tool's own name at that server.
        tool: String,
        /// The finished arguments.
        arguments: Arguments,
    },
    /// The provider's built-in local shell.
    LocalShell {
        /// Program and arguments.
        command: Vec<String>,
        /// Where to run, if the model said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        working_directory: Option<String>,
        /// How long it may run, in milliseconds, if the model said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
    },
}

impl ToolCall {
    /// A call of a function.
    pub fn function(id: CallId, name: ToolName, arguments: Arguments) -> Self {
        Self::new(id, name, Payload::Function { arguments })
    }

    /// A call of any form.
    pub fn new(id: CallId, name: ToolName, payload: Payload) -> Self {
        Self { id, name, payload, opaque: None }
    }

    /// The same call with the provider's own fields.
    pub fn with_opaque(mut self, opaque: Option<Opaque>) -> Self {
        self.opaque = opaque;
        self
    }

    /// The JSON arguments, where the form has them.
    pub fn arguments(&self) -> Option<&Arguments> {
        match &self.payload {
            Payload::Function { arguments } | Payload::Mcp { arguments, .. } => Some(arguments),
            Payload::Custom { .. } | Payload::LocalShell { .. } => None,
        }
    }

    /// The same text for every call that asks for the same, whatever the order of its keys (RULES L4).
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
    /// What the model wrote, as one text.
    pub fn text(&self) -> String {
        match self {
            Self::Function { arguments } | Self::Mcp { arguments, .. } => arguments.as_str().to_owned(),
            Self::Custom { input } => input.clone(),
            Self::LocalShell { command, .. } => command.join(" "),
        }
    }
}
