//! The options of one run of a workflow.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use windlass_agent::SharedBudget;
use windlass_redact::Redactor;
use windlass_tool::{CancellationToken, Context};

use crate::WorkflowEvent;

type Listener = Arc<dyn Fn(&WorkflowEvent) + Send + Sync>;

/// The options of one run: its cancellation, its listener, limits, and answers that arrived while it was
/// suspended.
#[derive(Clone, Default)]
pub struct WorkflowOptions {
    pub(crate) cancellation: CancellationToken,
    pub(crate) outputs: Option<PathBuf>,
    pub(crate) listener: Option<Listener>,
    /// The tool call that this run belongs to; the run waits while the call's listener lags behind.
    pub(crate) call: Option<Context>,
    pub(crate) answers: BTreeMap<String, String>,
    pub(crate) redactor: Redactor,
    pub(crate) shared_budget: SharedBudget,
}

impl WorkflowOptions {
    /// Sets the token that stops the run. Running calls still get their results; the others can be made when
    /// the run is resumed.
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Sets the folder for outputs that are too long.
    pub fn with_outputs(mut self, folder: impl Into<PathBuf>) -> Self {
        self.outputs = Some(folder.into());
        self
    }

    /// Sets a callback for events. It runs between other work and must not block.
    pub fn with_listener(mut self, listen: impl Fn(&WorkflowEvent) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listen));
        self
    }

    /// Supplies the text that an `ask` step waits for, or the result of a call that was completed elsewhere,
    /// by the key of the step.
    pub fn with_answer(mut self, step: impl Into<String>, words: impl Into<String>) -> Self {
        self.answers.insert(step.into(), words.into());
        self
    }

    /// Sets the secrets to remove from the record.
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Sets the budget of the run's agents. Default: all agents of the run share one new budget.
    pub fn with_shared_budget(mut self, shared_budget: SharedBudget) -> Self {
        self.shared_budget = shared_budget;
        self
    }

    /// Makes the run a part of a tool call: it waits while the call's listener lags behind.
    pub(crate) fn with_call(mut self, ctx: Context) -> Self {
        self.call = Some(ctx);
        self
    }

    /// Waits while the reader of the call's events lags behind.
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
