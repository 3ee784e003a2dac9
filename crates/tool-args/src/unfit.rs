//! The error of complete arguments.

use std::error::Error;
use std::fmt;

use windlass_tool::ToolError;

/// Error for complete arguments that do not fit a tool's type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArgumentsUnfit {
    /// Place of the error, as a JSON Pointer; empty for the arguments as a whole.
    pub path: String,
    /// Description of the error.
    pub message: String,
}

impl fmt::Display for ArgumentsUnfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, message } = self;
        let separator = if path.is_empty() { "" } else { ": " };
        write!(f, "{path}{separator}{message}")
    }
}

impl Error for ArgumentsUnfit {}

impl From<ArgumentsUnfit> for ToolError {
    fn from(unfit: ArgumentsUnfit) -> Self {
        Self::model(format!("the arguments do not fit this tool: {unfit}"))
    }
}
