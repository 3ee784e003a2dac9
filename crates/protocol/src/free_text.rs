//! Tools that take free text, for formats and models that know functions only.

use serde_json::json;

use crate::{Arguments, Payload, RawJson, ToolCall, ToolSpec};

/// The one argument of a function that stands for a tool that takes free text.
const ARGUMENT: &str = "input";

impl ToolSpec {
    /// The same tool as a function: one that takes free text takes it as its one argument, a string. A function
    /// stays as it is.
    ///
    /// ```
    /// use windlass_protocol::{Payload, ToolName, ToolSpec};
    /// let patch = ToolSpec::Freeform { name: ToolName::new("patch")?, description: "Patches.".into(), grammar: None };
    /// assert!(matches!(patch.as_function(), ToolSpec::Function { .. }));
    /// let payload = Payload::Custom { input: "*** Begin".into() };
    /// let arguments = payload.as_arguments();
    /// assert_eq!(arguments.as_str(), r#"{"input":"*** Begin"}"#);
    /// assert_eq!(Payload::from_arguments(&arguments), Some(payload));
    /// # Ok::<(), windlass_protocol::NameError>(())
    /// ```
    pub fn as_function(&self) -> Self {
        match self {
            Self::Freeform { name, description, .. } => {
                let text = json!({
                    "type": "object", "properties": { ARGUMENT: {"type": "string"} }, "required": [ARGUMENT],
                });
                Self::function(name.clone(), description.clone(), RawJson::from(&text))
            }
            function => function.clone(),
        }
    }
}

impl Payload {
    /// The payload as a function's arguments: free text is the one argument of [`ToolSpec::as_function`], a command of
    /// the provider's local shell is `command`, a list of words, and `working_directory`.
    pub fn as_arguments(&self) -> Arguments {
        match self {
            Self::Function { arguments } | Self::Mcp { arguments, .. } => arguments.clone(),
            // Joined to one text the words of a command would not be known apart.
            Self::LocalShell { command, working_directory, .. } => {
                let fields = json!({ "command": command, "working_directory": working_directory });
                Arguments::parse(fields.to_string()).unwrap_or_default()
            }
            Self::Custom { input } => {
                Arguments::parse(json!({ ARGUMENT: input }).to_string()).unwrap_or_default()
            }
        }
    }

    /// The free text in the arguments of a function that stands for a tool that takes it.
    pub fn from_arguments(arguments: &Arguments) -> Option<Self> {
        Some(Self::Custom { input: arguments.get(ARGUMENT)?.as_str()?.to_owned() })
    }
}

impl ToolCall {
    /// The same call as one of a function.
    pub fn as_function(&self) -> Self {
        let payload = Payload::Function { arguments: self.payload.as_arguments() };
        Self { payload, ..self.clone() }
    }
}
