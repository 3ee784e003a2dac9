//! The outcome of a run of a call.

use windlass_protocol::ToolResult;

/// The outcome of a run of a call.
pub(super) enum RunOutcome {
    Ended(ToolResult),
    /// The result arrives later from elsewhere.
    Deferred,
    /// An error that ends the whole run.
    Fatal(String),
}
