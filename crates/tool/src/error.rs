//! Why a tool gave nothing back.

use std::error::Error;

/// Why a tool could not do what was asked: who has to act?
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The model acts: a text that says what was met and what to do next.
    #[error("{0}")]
    Model(String),
    /// The call goes on elsewhere, and its result comes from there: a job that somebody else does, a service that calls
    /// back. The run waits for it, if need be without a process (see `RunOptions::with_results` of `windlass-agent`).
    #[error("the call goes on elsewhere")]
    Deferred,
    /// Nobody in the conversation can act: the run ends.
    #[error("the tool cannot work")]
    Fatal(#[source] Box<dyn Error + Send + Sync>),
}

impl ToolError {
    /// An error for the model, in words that say what to do.
    pub fn model(text: impl Into<String>) -> Self {
        Self::Model(text.into())
    }

    /// An error that ends the run.
    pub fn fatal(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Fatal(source.into())
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
