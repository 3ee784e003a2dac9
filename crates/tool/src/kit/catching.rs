//! Panics of a tool as violations.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use windlass_protocol::Payload;
use windlass_protocol::kit::RuleViolation;

use super::ToolRule;
use crate::{Context, Output, Tool, ToolError, ToolFuture};

/// Runs a method of a tool.
pub(super) fn catch<T>(method: &str, work: impl FnOnce() -> T) -> Result<T, RuleViolation<ToolRule>> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| to_violation(method))
}

/// Runs a call to its end.
pub(super) async fn call(
    tool: &dyn Tool,
    ctx: &Context,
    payload: &Payload,
) -> Result<Result<Output, ToolError>, RuleViolation<ToolRule>> {
    let mut future = catch("call", || tool.call(ctx, payload))?;
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
        Ok(Poll::Ready(result)) => Poll::Ready(Ok(result)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(_) => Poll::Ready(Err(to_violation("call"))),
    })
    .await
}

/// Polls a call once and drops it.
pub(super) async fn start_and_drop(
    tool: &dyn Tool,
    ctx: &Context,
    payload: &Payload,
) -> Result<(), RuleViolation<ToolRule>> {
    let mut future: ToolFuture<'_> = catch("call", || tool.call(ctx, payload))?;
    poll_fn(|cx| {
        let polled = catch_unwind(AssertUnwindSafe(|| drop(future.as_mut().poll(cx))));
        Poll::Ready(polled.map_err(|_| to_violation("call")))
    })
    .await?;
    catch("call", || drop(future))
}

fn to_violation(method: &str) -> RuleViolation<ToolRule> {
    RuleViolation::new(ToolRule::NeverPanics, format!("`{method}` panicked"))
}
