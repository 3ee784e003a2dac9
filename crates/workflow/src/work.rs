//! The call of a step, and the digest that binds it to its record.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use windlass_protocol::{Arguments, ArgumentsError, CallId, IdError, NameError, ToolCall, ToolName};

use crate::plan::OutputConversion;
use crate::{OutputForm, StepKey};

/// The call of a step, with its arguments resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Work {
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) reading: OutputConversion,
    /// True if the author of the workflow declares the call idempotent.
    pub(crate) repeatable: bool,
}

/// The reason why a step's call is invalid.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoCall {
    #[error("the tool's name is not valid: {0}")]
    Name(#[from] NameError),
    #[error("the call's id is not valid: {0}")]
    Id(#[from] IdError),
    #[error("the arguments cannot be used: {0}")]
    Arguments(#[from] ArgumentsError),
}

impl Work {
    pub(crate) fn new(
        tool: String,
        arguments: Map<String, Value>,
        reading: OutputConversion,
        repeatable: bool,
    ) -> Self {
        Self { tool, arguments, reading, repeatable }
    }

    /// Returns the call. The step's key is its id, which is unique because the call is the only one of its
    /// run.
    pub(crate) fn call(&self, key: &StepKey) -> Result<ToolCall, NoCall> {
        let arguments = Arguments::parse(Value::Object(self.arguments.clone()).to_string())?;
        Ok(ToolCall::function(CallId::new(key.as_str())?, ToolName::new(&self.tool)?, arguments))
    }

    /// Returns a digest that is equal for equal calls, whatever the order of their argument keys.
    pub(crate) fn digest(&self) -> String {
        let reading = match self.reading {
            OutputConversion::Output(OutputForm::Text) => "text",
            OutputConversion::Output(OutputForm::Json) => "json",
            OutputConversion::Approval => "approval",
        };
        let asked = json!({"tool": self.tool, "arguments": self.arguments, "reading": reading});
        let text = asked.to_string();
        let canonical = Arguments::parse(text.clone()).map_or(text, |asked| asked.canonical());
        let digest = Sha256::digest(canonical.as_bytes());
        digest.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
    }
}
