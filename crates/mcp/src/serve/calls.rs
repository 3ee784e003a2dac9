//! What a server of tools needs of the program that has them.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use windlass_protocol::{Hints, ToolCall, ToolResult, ToolSpec};

use crate::Caller;

/// The wait for a call's result.
pub type CallFuture = Pin<Box<dyn Future<Output = ToolResult> + Send>>;

/// The tools that are served, and who decides about their calls and runs them.
///
/// A server has no policy of its own: whatever a client asks for comes here first, and what this does not let through
/// does not run.
pub trait Calls: Send + Sync {
    /// The tools that are offered now, in the order in which a client sees them.
    fn tools(&self) -> Vec<(ToolSpec, Hints)>;

    /// Decides about a call and runs it. The future is dropped when the client has gone or has not answered a question
    /// for long; before, the caller's cancellation says so.
    fn call(self: Arc<Self>, call: ToolCall, caller: Caller) -> CallFuture;
}
