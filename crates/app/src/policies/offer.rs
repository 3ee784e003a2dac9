//! The offer to learn from answers, for a user who approves the same tool again and again.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_agent::{Approver, ApproverFuture};
use windlass_hitl::ApprovalRequest;
use windlass_protocol::Risk;

use crate::app::App;
use crate::notices::Notices;
use crate::storage::write_whole;

/// File in the state folder that exists after the offer was made.
const FILE: &str = "learning_offered";

/// Number of approvals of one tool in a run after which the offer is made. Learning needs the same number of
/// approvals.
const APPROVALS: u32 = 3;

/// An approver that makes the offer once, when a person has approved a tool several times in a run.
pub(crate) struct OfferingApprover {
    inner: Arc<dyn Approver>,
    marker: PathBuf,
    notices: Notices,
    approvals: Mutex<BTreeMap<String, u32>>,
}

impl OfferingApprover {
    /// Wraps an approver, unless the offer was made or the state folder is unknown.
    pub(crate) fn wrap(app: &App, inner: Arc<dyn Approver>) -> Arc<dyn Approver> {
        match app.state_file(FILE) {
            Ok(marker) if !marker.exists() => {
                Arc::new(Self { inner, marker, notices: app.notices().clone(), approvals: Mutex::default() })
            }
            _ => inner,
        }
    }

    fn count(&self, request: &ApprovalRequest) {
        // Only these calls would be learned.
        if request.risk > Risk::Medium || !request.can_remember {
            return;
        }
        let tool = request.tool.as_str();
        let mut approvals = self.approvals.lock().unwrap_or_else(PoisonError::into_inner);
        let count = approvals.entry(tool.to_owned()).or_default();
        *count = count.saturating_add(1);
        if *count == APPROVALS && !self.marker.exists() {
            // Without the file the offer is made again.
            let _ = write_whole(&self.marker, b"", 0o600);
            self.notices.inform(format!(
                "you approved {tool} {APPROVALS} times; with `learning.enabled = true` in your config.toml similar \
                 calls of low or medium risk run without a question after {APPROVALS} approvals, for 30 days, and each \
                 such permission is reported and can be revoked. This offer is not repeated"
            ));
        }
    }
}

impl Approver for OfferingApprover {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async move {
            let decision = self.inner.decide(request).await;
            if decision.as_ref().is_some_and(|decision| decision.approved) {
                self.count(request);
            }
            decision
        })
    }
}

impl std::fmt::Debug for OfferingApprover {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OfferingApprover").field("marker", &self.marker).finish_non_exhaustive()
    }
}
