//! Execution of a call: lock, cancellation, panics and long outputs.

mod output;

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use windlass_protocol::{Concurrency, ResultStatus, ToolResult};
use windlass_tool::{Context, Progress, ToolError};

use crate::check::permits;
use crate::checked::CheckedCall;
use crate::toolbox::Toolbox;
use crate::{PayloadKind, WrongPayload};

/// The time that a cancelled tool has to stop by itself before its future is dropped.
const GRACE: Duration = Duration::from_secs(5);

impl Toolbox {
    /// Runs a checked and approved call.
    ///
    /// Concurrent tools run side by side and exclusive tools run alone, in order of arrival (RULES L5).
    /// Cancellation (L7), also while the call waits for its turn, and a panic of the tool (L8) produce a
    /// result.
    ///
    /// Cancel-safe: dropping the future drops the tool's future.
    ///
    /// # Errors
    /// Returns the tool's error if it is [`ToolError::Fatal`] or [`ToolError::Deferred`], and a fatal
    /// [`WrongPayload`] error if only the program can have caused the call's payload kind.
    pub async fn run(&self, checked: &CheckedCall, ctx: &Context) -> Result<ToolResult, ToolError> {
        self.run_rechecked(checked, ctx, std::future::ready(Ok(()))).await
    }

    /// Runs a checked and approved call like [`run`](Self::run), if the approval is still valid when its turn
    /// comes.
    ///
    /// The inspected state may change while other calls run. `still` verifies it again after the wait and
    /// before the tool begins. If it returns an error, that error is the call's result and the tool does not
    /// run (RULES H5).
    ///
    /// Cancel-safe like `run`.
    ///
    /// # Errors
    /// Returns the same errors as `run`.
    pub async fn run_rechecked(
        &self,
        checked: &CheckedCall,
        ctx: &Context,
        still: impl Future<Output = Result<(), Box<ToolResult>>>,
    ) -> Result<ToolResult, ToolError> {
        let (entry, payload) = (&checked.entry, &checked.call.payload);
        if !entry.takes.runs(payload) {
            let misrouted =
                WrongPayload { tool: checked.name.clone(), kind: PayloadKind::from_payload(payload) };
            return Err(ToolError::fatal(misrouted));
        }
        let waiting = async {
            match checked.entry.tool.hints().concurrency {
                Concurrency::Parallel => (Some(self.lock.read().await), None),
                Concurrency::Exclusive => (None, Some(self.lock.write().await)),
            }
        };
        let _turn = tokio::select! {
            biased;
            () = ctx.cancellation().cancelled() => {
                return Ok(result(checked, ResultStatus::Cancelled, "cancelled before it started"));
            }
            turn = waiting => turn,
        };
        if let Err(result) = still.await {
            return Ok(*result);
        }
        if let Err(result) = permits(self, checked) {
            return Ok(*result);
        }
        ctx.tell(Progress::Started);
        // Wrapped in an async block because `call` can panic before it returns its future.
        let call = async { entry.tool.call(ctx, payload).await };
        let running = AssertUnwindSafe(call).catch_unwind();
        let outcome = tokio::select! {
            // `biased`: a result takes precedence over a simultaneous cancellation (RULES L7).
            biased;
            outcome = running => outcome,
            () = overdue(ctx) => {
                return Ok(result(checked, ResultStatus::Cancelled, "cancelled while it ran; its changes so \
                                                                    far remain"));
            }
        };
        ctx.tell_rest();
        self.finish(checked, ctx, outcome)
    }
}

async fn overdue(ctx: &Context) {
    ctx.cancellation().cancelled().await;
    tokio::time::sleep(GRACE).await;
}

fn result(checked: &CheckedCall, status: ResultStatus, text: &str) -> ToolResult {
    ToolResult::text(checked.call.id.clone(), status, text)
}
