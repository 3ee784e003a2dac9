//! The outcome of a run of a call.

use windlass_protocol::ToolResult;
use windlass_tool::ToolError;

/// The outcome of a run of a call.
pub(super) enum RunOutcome {
    Ended(ToolResult),
    /// The result arrives later from elsewhere.
    Deferred,
    /// An error that ends the whole run.
    Fatal(String),
}

/// Returns the text of an error with its causes.
pub(super) fn fatal_text(error: &ToolError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
