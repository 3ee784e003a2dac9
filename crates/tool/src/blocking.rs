//! Blocking work of a tool on a thread outside the async threads.

use crate::{Context, Output, ToolError};

/// Runs blocking work of a call, such as reading files, on a blocking thread of tokio.
///
/// Does not start the work if the call is already cancelled. Dropping the future does not stop running work;
/// only the work itself can, if it checks the token of `ctx`. A panic fails this call and not the turn (RULES
/// L8). Must be called inside a tokio runtime.
///
/// # Errors
/// The error of `work`, or an error for the model if the call was cancelled before, or if the work panicked.
pub async fn run_blocking(
    ctx: &Context,
    work: impl FnOnce() -> Result<Output, ToolError> + Send + 'static,
) -> Result<Output, ToolError> {
    if ctx.cancellation().is_cancelled() {
        return Err(ToolError::model("the call was stopped before it began; nothing was done"));
    }
    let broken = |_| ToolError::model("the tool broke on this input; try another way");
    tokio::task::spawn_blocking(work).await.map_err(broken)?
}
