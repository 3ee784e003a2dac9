//! What a step asks for: one call, as it is made and as it is bound to its record.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use windlass_protocol::{Arguments, ArgumentsError, CallId, IdError, NameError, ToolCall, ToolName};

use crate::workflow::Reading;
use crate::{OutputForm, StepKey};

/// One call that a step asks for, with its arguments filled.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Work {
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) reading: Reading,
    /// Whether whoever wrote the workflow says that it may be made twice.
    pub(crate) repeatable: bool,
}

/// Why no call can be made of what a step asks for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoCall {
    #[error("the tool's name is none: {0}")]
    Name(#[from] NameError),
    #[error("the call's id is none: {0}")]
    Id(#[from] IdError),
    #[error("the arguments cannot be used: {0}")]
    Arguments(#[from] ArgumentsError),
}

impl Work {
    pub(crate) fn new(
        tool: String,
        arguments: Map<String, Value>,
        reading: Reading,
        repeatable: bool,
    ) -> Self {
        Self { tool, arguments, reading, repeatable }
    }

    /// The call, the only one of its run, under the step's key.
    pub(crate) fn call(&self, key: &StepKey) -> Result<ToolCall, NoCall> {
        let arguments = Arguments::parse(Value::Object(self.arguments.clone()).to_string())?;
        Ok(ToolCall::function(CallId::new(key.as_str())?, ToolName::new(&self.tool)?, arguments))
    }

    /// The same for everything that asks for the same, whatever the order of its keys.
    pub(crate) fn digest(&self) -> String {
        let reading = match self.reading {
            Reading::Output(OutputForm::Text) => "text",
            Reading::Output(OutputForm::Json) => "json",
            Reading::Approval => "approval",
        };
        let asked = json!({"tool": self.tool, "arguments": self.arguments, "reading": reading});
        let text = asked.to_string();
        let canonical = Arguments::parse(text.clone()).map_or(text, |asked| asked.canonical());
        let digest = Sha256::digest(canonical.as_bytes());
        digest.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
    }
}
