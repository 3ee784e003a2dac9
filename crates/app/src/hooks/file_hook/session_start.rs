//! The hooks for the start of a session, and for its start anew after a compaction.

use std::sync::atomic::Ordering;

use serde_json::json;
use windlass_agent::HookContext;

use super::Inner;
use crate::hooks::definition::HookEvent;

/// Source of a session whose conversation was compacted.
pub(crate) const COMPACT: &str = "compact";

impl Inner {
    /// Starts the hooks for the start of a session from a source, and returns their context for the model.
    pub(super) async fn start_session(&self, ctx: &HookContext, source: &str) -> Option<String> {
        let fields = json!({ "source": source, "model": self.runner.run.model });
        let answer = self.runner.start(HookEvent::SessionStart, Some(&ctx.run), source, fields).await;
        self.runner.report(&answer);
        // A refusal cannot prevent a session; its text is for the person.
        self.runner.report_refusal(&answer);
        answer.context_text()
    }

    /// Records a compaction of the session itself. Agents below a call are not sessions.
    pub(super) fn observe_compaction(&self, ctx: &HookContext) {
        if ctx.agents.is_empty() {
            self.is_compacted.store(true, Ordering::Relaxed);
        }
    }

    /// Starts the hooks for the start of a session after its compaction, once, and returns their context for the model.
    pub(super) async fn start_after_compaction(&self, ctx: &HookContext) -> Option<String> {
        let is_due = ctx.agents.is_empty() && self.is_compacted.swap(false, Ordering::Relaxed);
        if is_due { self.start_session(ctx, COMPACT).await } else { None }
    }
}
