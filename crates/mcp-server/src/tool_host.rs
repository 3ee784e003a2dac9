//! The interface between the MCP server and the program that provides the tools.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use windlass_protocol::{Hints, ToolCall, ToolResult, ToolSpec};

use crate::Caller;

/// The future of a call's result.
pub type CallFuture = Pin<Box<dyn Future<Output = ToolResult> + Send>>;

/// The tools that are served, with the decision about each call and its execution.
///
/// [`ToolServer`](crate::ToolServer) has no policy of its own: it passes each call to this trait, and the
/// implementation must check the policy before it runs the call.
pub trait ToolHost: Send + Sync {
    /// Returns the tools that are offered now, in the order for the client.
    fn tools(&self) -> Vec<(ToolSpec, Hints)>;

    /// Decides about a call and runs it. If the client cancels the call, the server cancels the caller's
    /// token, waits 10 seconds for the result, and drops the future. If the client leaves a question
    /// unanswered for five minutes, the future is dropped at once.
    fn call(self: Arc<Self>, call: ToolCall, caller: Caller) -> CallFuture;
}
