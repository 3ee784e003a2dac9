//! Execution of a call: lock, cancellation, panics and long outputs.

use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use windlass_hitl::has_invisible;
use windlass_protocol::{Concurrency, Content, Effect, ResultFlag, ResultStatus, ToolResult};
use windlass_tool::{Context, Output, Progress, ToolError};

use crate::check::permits;
use crate::checked::Checked;
use crate::toolbox::Toolbox;
use crate::{PayloadKind, WrongPayload};

/// The time that a cancelled tool has to stop by itself before its future is dropped.
const GRACE: Duration = Duration::from_secs(5);

type Outcome = Result<Result<Output, ToolError>, Box<dyn std::any::Any + Send>>;

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
    pub async fn run(&self, checked: &Checked, ctx: &Context) -> Result<ToolResult, ToolError> {
        self.run_if(checked, ctx, std::future::ready(Ok(()))).await
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
    pub async fn run_if(
        &self,
        checked: &Checked,
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

    fn finish(&self, checked: &Checked, ctx: &Context, outcome: Outcome) -> Result<ToolResult, ToolError> {
        match outcome {
            Ok(Ok(output)) => {
                let content = self.limit.apply(redact_secrets(output.content, ctx), ctx);
                let flags = flags(checked, &content, output.is_external);
                Ok(ToolResult::new(checked.call.id.clone(), output.status, content).with_flags(flags))
            }
            Ok(Err(ToolError::Model(text))) => {
                let content = self.limit.apply(redact_secrets(vec![Content::text(text)], ctx), ctx);
                Ok(ToolResult::new(checked.call.id.clone(), ResultStatus::Error, content))
            }
            Ok(Err(fatal)) => Err(fatal),
            Err(_panic) => {
                let text = "the tool failed with an internal error (it panicked); other tools still work";
                Ok(result(checked, ResultStatus::Error, text))
            }
        }
    }
}

/// Redacts secrets. Must run before truncation and before writing files, because a truncated secret is not
/// recognized.
fn redact_secrets(mut content: Vec<Content>, ctx: &Context) -> Vec<Content> {
    let redactor = ctx.redactor();
    let clean = |text: &mut String| {
        if let Cow::Owned(clean) = redactor.redact(text) {
            *text = clean;
        }
    };
    for piece in &mut content {
        match piece {
            Content::Text { text } => clean(text),
            Content::Resource { uri, text, .. } => {
                clean(uri);
                clean(text);
            }
            Content::Structured { value } => redactor.redact_value(value),
            // Image bytes are not searched.
            _ => {}
        }
    }
    content
}

/// Returns the flags of a result: invisible characters and third-party content.
fn flags(checked: &Checked, content: &[Content], is_external: bool) -> Vec<ResultFlag> {
    let is_hidden = |content: &Content| matches!(content, Content::Text { text } if has_invisible(text));
    let brings_text = |effect: &Effect| {
        matches!(effect, Effect::Connect { .. } | Effect::Mcp { .. } | Effect::Spawn { .. })
    };
    let hidden = content.iter().any(is_hidden).then_some(ResultFlag::InvisibleChars);
    let external =
        (is_external || checked.facts.effects.iter().any(brings_text)).then_some(ResultFlag::External);
    hidden.into_iter().chain(external).collect()
}

async fn overdue(ctx: &Context) {
    ctx.cancellation().cancelled().await;
    tokio::time::sleep(GRACE).await;
}

fn result(checked: &Checked, status: ResultStatus, text: &str) -> ToolResult {
    ToolResult::text(checked.call.id.clone(), status, text)
}
