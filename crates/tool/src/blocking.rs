//! Blocking work of a tool on a thread outside the async threads.

use crate::{CancellationToken, Context, ToolError};

/// Runs blocking work of a call, such as reading files, on a blocking thread of tokio.
///
/// `work` receives a token that is cancelled with the call, and also when the returned future is dropped. A
/// thread cannot be stopped from outside, so the work continues until it checks the token. Work that
/// changes something must check the token before each change: otherwise it changes files after its call was
/// reported as cancelled. Work that has not started when the token is cancelled does not start.
///
/// A panic fails this call and not the turn (RULES L8). Must be called inside a tokio runtime.
///
/// # Errors
/// The error of `work`, or an error for the model if the call was cancelled before, or if the work panicked.
///
/// ```
/// use windlass_protocol::CallId;
/// use windlass_tool::{Context, ToolError, run_blocking};
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// let ctx = Context::new(CallId::new("call_1")?);
/// let work = |stop: &windlass_tool::CancellationToken| match stop.is_cancelled() {
///     true => Err(ToolError::model("the call was stopped; nothing was changed")),
///     false => Ok("changed"),
/// };
/// assert_eq!(runtime.block_on(run_blocking(&ctx, work)).ok(), Some("changed"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn run_blocking<T: Send + 'static>(
    ctx: &Context,
    work: impl FnOnce(&CancellationToken) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let stop = ctx.cancellation().child_token();
    if stop.is_cancelled() {
        return Err(not_started());
    }
    let _stops_when_dropped = stop.clone().drop_guard();
    let broken = |_| {
        ToolError::model(
            "the tool failed with an internal error on this input; try another \
             way",
        )
    };
    // All blocking threads can be in use, so the work may start long after this call.
    let start = move || if stop.is_cancelled() { Err(not_started()) } else { work(&stop) };
    tokio::task::spawn_blocking(start).await.map_err(broken)?
}

fn not_started() -> ToolError {
    ToolError::model("the call was cancelled before it started; nothing was done")
}
