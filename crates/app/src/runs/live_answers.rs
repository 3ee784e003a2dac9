//! Answers from other processes to the questions of a run that works.

use std::sync::Arc;
use std::time::Duration;

use windlass_agent::{Approver, ApproverFuture};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};

use super::RunFolder;
use super::answers::{StoredAnswer, read_decision};

/// Interval at which an open question looks for a stored answer.
const INTERVAL: Duration = Duration::from_millis(250);

/// An approver that asks another approver, and at the same time waits for an answer that another process stores for the
/// run. The first answer counts, and the other approver's question is withdrawn. A stored answer counts only for the
/// content that was shown with it (RULES H4).
pub(crate) struct LiveAnswers {
    inner: Arc<dyn Approver>,
    folder: RunFolder,
}

impl LiveAnswers {
    pub(crate) fn new(inner: Arc<dyn Approver>, folder: &RunFolder) -> Self {
        Self { inner, folder: folder.clone() }
    }

    /// Waits for a stored answer to a request. Cancel-safe.
    async fn wait(&self, request: &ApprovalRequest) -> ApprovalDecision {
        loop {
            tokio::time::sleep(INTERVAL).await;
            let (folder, id) = (self.folder.clone(), request.request_id.clone());
            // A store that fails now can answer later, and the person here can answer in any case.
            let stored = tokio::task::spawn_blocking(move || read_decision(&folder, &id)).await;
            if let Ok(Ok(Some(StoredAnswer::Approval { decision, shown, .. }))) = stored
                && shown == request.digest
                && decision.request_id == request.request_id
            {
                return decision;
            }
        }
    }
}

impl Approver for LiveAnswers {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async move {
            tokio::select! {
                biased;
                decision = self.inner.decide(request) => decision,
                decision = self.wait(request) => Some(decision),
            }
        })
    }
}

impl std::fmt::Debug for LiveAnswers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LiveAnswers").field("run", &self.folder.id).finish_non_exhaustive()
    }
}
