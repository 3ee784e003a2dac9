//! What differs from run to run of a workflow.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use windlass_agent::Allowance;
use windlass_redact::Redactor;
use windlass_tool::Context;

use crate::WorkflowEvent;

type Listener = Arc<dyn Fn(&WorkflowEvent) + Send + Sync>;

/// What differs from run to run: how it is stopped, who is told, and what came from elsewhere while it was suspended.
#[derive(Clone, Default)]
pub struct WorkflowOptions {
    pub(crate) cancellation: CancellationToken,
    pub(crate) outputs: Option<PathBuf>,
    pub(crate) listener: Option<Listener>,
    /// The call whose listener the run waits for.
    pub(crate) call: Option<Context>,
    pub(crate) answers: BTreeMap<String, String>,
    pub(crate) redactor: Redactor,
    pub(crate) allowance: Allowance,
}

impl WorkflowOptions {
    /// The same run, stopped by this token: calls that run get their results, the others can be made later.
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// The same run, with a folder for outputs that are too long.
    pub fn with_outputs(mut self, folder: impl Into<PathBuf>) -> Self {
        self.outputs = Some(folder.into());
        self
    }

    /// The same run with somebody who is told what happens. It is called between other work and must not wait.
    pub fn with_listener(mut self, listen: impl Fn(&WorkflowEvent) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listen));
        self
    }

    /// The same run with the words that an `ask` step waits for, or the result of a call that goes on elsewhere, by the
    /// step's key.
    pub fn with_answer(mut self, step: impl Into<String>, words: impl Into<String>) -> Self {
        self.answers.insert(step.into(), words.into());
        self
    }

    /// The same run with secrets that its record must not hold.
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// The same run, whose agents draw on this allowance. Without it on one of their own, all together.
    pub fn with_allowance(mut self, allowance: Allowance) -> Self {
        self.allowance = allowance;
        self
    }

    /// The same run as part of a call: it waits while the call's listener is behind.
    pub(crate) fn with_call(mut self, ctx: Context) -> Self {
        self.call = Some(ctx);
        self
    }

    /// Waits while whoever reads the events of the call is behind.
    pub(crate) async fn ready(&self) {
        if let Some(ctx) = &self.call {
            ctx.ready().await;
        }
    }

    pub(crate) fn tell(&self, event: &WorkflowEvent) {
        if let Some(listener) = &self.listener {
            listener(event);
        }
    }
}

impl fmt::Debug for WorkflowOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkflowOptions").field("answers", &self.answers.len()).finish_non_exhaustive()
    }
}
