//! Hooks for the notification that a question waits for a person.

use std::sync::Arc;

use tokio::task::JoinHandle;
use windlass_agent::{Approver, ApproverFuture};
use windlass_hitl::ApprovalRequest;

use super::file_hook::FileHooks;

/// Type of the notification about a question, as the documentation writes it.
const PERMISSION: &str = "permission_prompt";

/// An approver that starts the notifications of a question while another approver is asked.
#[derive(Clone)]
pub(crate) struct NotifyingApprover {
    inner: Arc<dyn Approver>,
    hooks: FileHooks,
}

/// Ends a notification together with its question.
struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl NotifyingApprover {
    /// Creates the approver.
    pub(crate) fn new(inner: Arc<dyn Approver>, hooks: FileHooks) -> Self {
        Self { inner, hooks }
    }
}

impl Approver for NotifyingApprover {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        let message = format!("Windlass needs your permission to use {}", request.tool.as_str());
        let hooks = self.hooks.clone();
        let work = async move { hooks.notify(PERMISSION, &message).await };
        Box::pin(async move {
            let mut notification = AbortOnDrop(tokio::spawn(work));
            let decision = self.inner.decide(request).await;
            if decision.is_none() {
                // The question stays open, and the process may end before the notification otherwise.
                let _ = (&mut notification.0).await;
            }
            decision
        })
    }
}

impl std::fmt::Debug for NotifyingApprover {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NotifyingApprover").finish_non_exhaustive()
    }
}
