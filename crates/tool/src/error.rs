//! Errors of a tool.

use std::error::Error;
use std::fmt;

/// The error of a tool call. The variant decides who has to act on it: the model, another process, or the
/// application.
#[derive(Debug)]
#[non_exhaustive]
pub enum ToolError {
    /// The model has to act. The text describes the problem and the next step.
    Model(String),
    /// The result arrives later from outside of this call, for example from a job queue or a webhook. The run
    /// waits for the result, if necessary across process restarts (see `RunOptions::with_results` of
    /// `windlass-agent`).
    Deferred,
    /// Neither the model nor the user can act. The run ends.
    Fatal(Box<dyn Error + Send + Sync>),
}

impl ToolError {
    /// Creates an error for the model. The text should describe the next step.
    pub fn model(text: impl Into<String>) -> Self {
        Self::Model(text.into())
    }

    /// Creates an error that ends the run.
    pub fn fatal(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Fatal(source.into())
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(text) => f.write_str(text),
            Self::Deferred => f.write_str("the call continues elsewhere"),
            Self::Fatal(_) => f.write_str("the tool cannot work"),
        }
    }
}

impl Error for ToolError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Fatal(source) => Some(source.as_ref()),
            Self::Model(_) | Self::Deferred => None,
        }
    }
}

impl From<String> for ToolError {
    fn from(text: String) -> Self {
        Self::Model(text)
    }
}

impl From<&str> for ToolError {
    fn from(text: &str) -> Self {
        Self::model(text)
    }
}
