//! The model and the hooks of a request.

use std::sync::Arc;

use tokio::time::Duration;
use windlass_protocol::ToolCall;
use windlass_stream::Model;

use super::CommandRunner;
use crate::asking::RequestHooks;
use crate::summarizer::SummaryModel;
use crate::taint::is_tainted;

impl CommandRunner {
    /// Sets whether the requests that follow ask for a summary.
    pub(crate) fn set_summary(&mut self, is_summary: bool) {
        self.is_summary = is_summary;
    }

    pub(super) fn is_summarized_by_program(&self) -> bool {
        self.is_summary && self.parts.summarizer.is_some()
    }

    /// Returns the model of the next request.
    pub(super) fn model(&self) -> Arc<dyn Model> {
        match (&self.run.model, &self.parts.summarizer) {
            (Some(model), _) => Arc::clone(model),
            (None, Some(summarizer)) if self.is_summary => Arc::new(SummaryModel(Arc::clone(summarizer))),
            _ => Arc::clone(&self.parts.model),
        }
    }

    /// Returns the hooks of a request; `None` without hooks, or if no model is requested.
    pub(super) fn request_hooks(&self) -> Option<RequestHooks> {
        let is_hooked = self.run.model.is_none() && !self.parts.hooks.is_empty();
        is_hooked.then(|| RequestHooks {
            hooks: self.parts.hooks.clone(),
            ctx: self.hook_context(),
            is_summary: self.is_summary,
            vetoes: Arc::clone(&self.vetoes),
            corrections: self.parts.corrections,
        })
    }

    /// Taints the conversation if one of the earlier calls can have returned text from outside.
    pub(crate) fn remind<'a>(&self, calls: impl Iterator<Item = &'a ToolCall>) {
        if is_tainted(self.tools.current().as_ref(), calls) {
            self.guard.taint().mark();
        }
    }

    /// Marks the conversation as tainted.
    pub(crate) fn taint(&self) {
        self.guard.taint().mark();
    }

    /// Returns whether the conversation contains text from outside.
    pub(crate) fn is_tainted(&self) -> bool {
        self.guard.taint().is_marked()
    }
}

/// Adds up to a quarter to the wait, so that runs which failed at the same time do not retry at the same time
/// (RULES L9). The random part is drawn here because the machine is deterministic.
pub(super) fn with_jitter(wait: Duration) -> Duration {
    let part = getrandom::u32().map_or(0.0, |random| f64::from(random) / f64::from(u32::MAX));
    wait.saturating_add(wait.mul_f64(part / 4.0))
}
