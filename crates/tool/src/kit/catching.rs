//! Panics of a tool as violations.

use std::future::poll_fn;
use std::task::Poll;

use windlass_protocol::Payload;
use windlass_protocol::kit::RuleViolation;

use super::ToolRule;
use crate::{Context, Output, Tool, ToolError, ToolFuture};

/// Runs a method of a tool.
pub(super) fn catch<T>(method: &str, work: impl FnOnce() -> T) -> Result<T, RuleViolation<ToolRule>> {
    RuleViolation::catch(ToolRule::NeverPanics, method, work)
}

/// Runs a call to its end.
pub(super) async fn call(
    tool: &dyn Tool,
    ctx: &Context,
    payload: &Payload,
) -> Result<Result<Output, ToolError>, RuleViolation<ToolRule>> {
    let mut future = catch("call", || tool.call(ctx, payload))?;
    poll_fn(|cx| match catch("call", || future.as_mut().poll(cx)) {
        Ok(polled) => polled.map(Ok),
        Err(violation) => Poll::Ready(Err(violation)),
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
    poll_fn(|cx| Poll::Ready(catch("call", || drop(future.as_mut().poll(cx))))).await?;
    catch("call", || drop(future))
}
