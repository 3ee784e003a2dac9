//! Answers that were given while nobody asked, as to a run that was suspended.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_hitl::{ApprovalDecision, ApprovalRequest, Digest};

use crate::{Approver, ApproverFuture};

/// Gives answers that were stored for questions of a suspended run, and puts everything else to another approver. An
/// answer counts for the question that it was given to and for nothing else: the digest of what was shown has to be the
/// same (RULES H4).
#[derive(Clone)]
pub struct StoredAnswers {
    answers: BTreeMap<String, (ApprovalDecision, Digest)>,
    otherwise: Arc<dyn Approver>,
}

impl StoredAnswers {
    /// No answers yet; what is not answered is put to `otherwise`.
    pub fn new(otherwise: impl Approver + 'static) -> Self {
        Self { answers: BTreeMap::new(), otherwise: Arc::new(otherwise) }
    }

    /// The same with an answer to a question that showed what has this digest.
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
