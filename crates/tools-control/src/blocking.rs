//! Runs blocking file work outside the async threads.

use windlass_tool::{Context, Output, ToolError};

/// Runs file work on a blocking thread. Dropping the future does not stop the work, which runs to its end.
/// Fails if the call is already cancelled.
pub(crate) async fn blocking(
    ctx: &Context,
    work: impl FnOnce() -> Result<Output, ToolError> + Send + 'static,
) -> Result<Output, ToolError> {
    if ctx.cancellation().is_cancelled() {
        return Err(ToolError::model("the call was stopped before it began; nothing was done"));
    }
    // A panic fails only this call and not the turn (RULES L8).
    let broken = |_| ToolError::model("the tool broke on this input; try another way");
    tokio::task::spawn_blocking(work).await.map_err(broken)?
}
