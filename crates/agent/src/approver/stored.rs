//! Answers that were given while the run was suspended.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_hitl::{ApprovalDecision, ApprovalRequest, Digest};

use crate::{Approver, ApproverFuture};

/// An approver that answers requests of a suspended run with stored decisions, and passes every other request
/// to another approver. A stored decision is used only if the digest of the request is the digest that was
/// shown with the answered request (RULES H4).
#[derive(Clone)]
pub struct StoredAnswers {
    answers: BTreeMap<String, (ApprovalDecision, Digest)>,
    otherwise: Arc<dyn Approver>,
}

impl StoredAnswers {
    /// Creates an approver without answers. Requests without a stored answer are passed to `otherwise`.
    pub fn new(otherwise: impl Approver + 'static) -> Self {
        Self { answers: BTreeMap::new(), otherwise: Arc::new(otherwise) }
    }

    /// Adds a decision for the request that was shown with this digest.
    pub fn with_answer(mut self, decision: ApprovalDecision, shown: Digest) -> Self {
        self.answers.insert(decision.request_id.clone(), (decision, shown));
        self
    }
}

impl Approver for StoredAnswers {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        match self.answers.get(&request.request_id) {
            Some((decision, shown)) if *shown == request.digest => {
                Box::pin(async move { Some(decision.clone()) })
            }
            _ => self.otherwise.decide(request),
        }
    }
}

impl std::fmt::Debug for StoredAnswers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredAnswers").field("answers", &self.answers.len()).finish_non_exhaustive()
    }
}
