//! The rules of calls.

use windlass_protocol::kit::RuleViolation;
use windlass_protocol::{Content, Payload, ReconcileOutcome};

use super::ToolRule;
use super::arguments::change_kind;
use super::catching::{call, catch, start_and_drop};
use crate::{Context, Output, Tool, ToolError};

type RuleResult = Result<(), RuleViolation<ToolRule>>;

/// Calls the tool with a payload of another kind. The error is for the model, so it has a text.
pub(super) async fn check_other_payload(tool: &dyn Tool, ctx: &Context, example: &Payload) -> RuleResult {
    let payload = change_kind(example);
    let found = match call(tool, ctx, &payload).await? {
        Err(ToolError::Model(text)) if !text.problem.trim().is_empty() => return Ok(()),
        Err(ToolError::Model(_)) => "the error for the model has no text",
        Err(ToolError::Deferred) => "the call was deferred",
        Err(ToolError::Fatal(error)) => {
            let found = format!("the error is fatal: {error}");
            return Err(RuleViolation::new(ToolRule::RefusesOtherPayloads, found).with_source(error));
        }
        Ok(_) => "the call succeeded",
    };
    Err(RuleViolation::new(ToolRule::RefusesOtherPayloads, found))
}

/// Runs the example, and compares the files that it planned with the files that it left.
pub(super) async fn check_call(tool: &dyn Tool, ctx: &Context, example: &Payload) -> RuleResult {
    let planned = catch("inspect", || tool.inspect(example))?.planned;
    let changes = planned.iter().any(|file| file.before != file.after);
    if changes && catch("aftermath", || tool.aftermath(&planned))? == ReconcileOutcome::Done {
        let found = "`aftermath` returned `Done` before the call";
        return Err(RuleViolation::new(ToolRule::RecognizesTheAftermath, found));
    }
    match call(tool, ctx, example).await? {
        Ok(output) => check_output(&output)?,
        // The result arrives from outside of the call, so the call shows no files.
        Err(ToolError::Deferred) => return Ok(()),
        Err(error) => return Err(fail(ToolRule::RunsTheExample, error)),
    }
    let aftermath = catch("aftermath", || tool.aftermath(&planned))?;
    if changes && !matches!(aftermath, ReconcileOutcome::Done | ReconcileOutcome::Unknown) {
        let found = format!("`aftermath` returned {aftermath:?} after the call");
        return Err(RuleViolation::new(ToolRule::RecognizesTheAftermath, found));
    }
    Ok(())
}

fn check_output(output: &Output) -> RuleResult {
    let is_full = |content: &Content| !matches!(content, Content::Text { text } if text.is_empty());
    if output.content.iter().any(is_full) {
        return Ok(());
    }
    Err(RuleViolation::new(ToolRule::ReturnsContent, "the output is empty"))
}

/// Drops a call after its first poll, and calls again.
pub(super) async fn check_drop(tool: &dyn Tool, ctx: &Context, example: &Payload) -> RuleResult {
    start_and_drop(tool, ctx, example).await?;
    match call(tool, ctx, example).await? {
        Err(error @ ToolError::Fatal(_)) => Err(fail(ToolRule::SurvivesDrops, error)),
        Err(error @ ToolError::Model(_)) if tool.hints().idempotent => {
            Err(fail(ToolRule::SurvivesDrops, error))
        }
        _ => Ok(()),
    }
}

fn fail(rule: ToolRule, error: ToolError) -> RuleViolation<ToolRule> {
    RuleViolation::new(rule, format!("the call failed: {error}")).with_source(error)
}
