//! Conversion of free-text tools into functions, for formats and models that only support functions.

use serde_json::json;

use crate::{Arguments, Payload, RawJson, ToolCall, ToolSpec};

/// The name of the argument that contains the free text.
const ARGUMENT: &str = "input";

impl ToolSpec {
    /// Converts a free-text tool into a function with one string argument, `input`. A function is returned
    /// unchanged.
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
                Self::function(name.clone(), description.clone(), RawJson::from(&text)).with_eager_arguments()
            }
            function => function.clone(),
        }
    }
}

impl Payload {
    /// Converts the payload into a function's arguments. Free text becomes the argument of
    /// [`ToolSpec::as_function`]; a command of the provider's local shell becomes `command`, a list of words,
    /// and `working_directory`.
    pub fn as_arguments(&self) -> Arguments {
        match self {
            Self::Function { arguments } | Self::Mcp { arguments, .. } => arguments.clone(),
            // Joining the words would lose their boundaries.
            Self::LocalShell { command, working_directory, .. } => {
                let fields = json!({ "command": command, "working_directory": working_directory });
                Arguments::parse(fields.to_string()).unwrap_or_default()
            }
            Self::Custom { input } => {
                Arguments::parse(json!({ ARGUMENT: input }).to_string()).unwrap_or_default()
            }
        }
    }

    /// Returns the free text from the arguments of a converted function, or `None` if the arguments have no
    /// string `input`.
    pub fn from_arguments(arguments: &Arguments) -> Option<Self> {
        Some(Self::Custom { input: arguments.get(ARGUMENT)?.as_str()?.to_owned() })
    }
}

impl ToolCall {
    /// Converts the call into a call of a function.
    pub fn as_function(&self) -> Self {
        let payload = Payload::Function { arguments: self.payload.as_arguments() };
        Self { payload, ..self.clone() }
    }
}
