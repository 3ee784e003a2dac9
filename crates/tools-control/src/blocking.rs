//! File work away from the async threads.

use windlass_tool::{Context, Output, ToolError};

/// Runs file work on a thread for it. Dropping the future lets the work end; nothing lives on.
pub(crate) async fn blocking(
    ctx: &Context,
    work: impl FnOnce() -> Result<Output, ToolError> + Send + 'static,
) -> Result<Output, ToolError> {
    if ctx.cancellation().is_cancelled() {
        return Err(ToolError::model("the call was stopped before it began; nothing was done"));
    }
    // A panic fails this call and not the turn (RULES L8).
    let broken = |_| ToolError::model("the tool broke on this input; try another way");
    tokio::task::spawn_blocking(work).await.map_err(broken)?
}
