//! Pending approval requests.

use std::collections::{BTreeMap, BTreeSet};

use crate::{ApprovalOutcome, ApprovalRequest};

/// Default time that a question waits for an answer: five minutes, in milliseconds.
pub const DEFAULT_TIMEOUT_MS: u64 = 300_000;

/// Set of pending approval requests. Each request ends once: an answer to an unknown or ended request is an
/// error (RULES H4).
///
/// ```
/// # use windlass_hitl::{ApprovalDecision, ApprovalOutcome, ApprovalRequest, Approvals};
/// # use windlass_hitl::{Binding, PolicyInput, Grants, ApprovalHistory, Policy, decide};
/// # use windlass_protocol::{Arguments, CallId, Hints, ToolCall, ToolName, ToolSpec};
/// # let call = ToolCall::function(CallId::new("c")?, ToolName::new("edit")?, Arguments::default());
/// # let facts = PolicyInput::new(call.name.clone(), Hints::default(), &call, vec![]);
/// # let spec = ToolSpec::function(call.name.clone(), "", "{}".parse()?);
/// # let digest = Binding { facts: &facts, call: &call, spec: &spec, root: "/", epoch: "" }.digest();
/// # let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
/// # let request = ApprovalRequest::new("r", call, &facts, &decision, digest);
/// let mut approvals = Approvals::default();
/// approvals.ask(request, 0)?;
/// let answer = ApprovalOutcome::Answered(ApprovalDecision::approve("r"));
/// assert_eq!(approvals.end(&answer)?.request_id, "r");
/// assert!(approvals.end(&answer).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Approvals {
    timeout_ms: u64,
    /// The pending requests by id, each with its deadline, if it has one.
    waiting: BTreeMap<String, (ApprovalRequest, Option<u64>)>,
    ended: BTreeSet<String>,
}

/// Error of adding or ending a question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// A question with this id was not asked.
    #[error("approval request {request_id} does not exist")]
    Unknown {
        /// The id in the answer.
        request_id: String,
    },
    /// The question was answered, timed out or was withdrawn before.
    #[error("approval request {request_id} has ended; the answer came too late")]
    Late {
        /// The id in the answer.
        request_id: String,
    },
    /// The id of a new question was used before.
    #[error("approval request {request_id} already exists")]
    Duplicate {
        /// The id of the new question.
        request_id: String,
    },
}

impl Default for Approvals {
    fn default() -> Self {
        Self::new(DEFAULT_TIMEOUT_MS)
    }
}

impl Approvals {
    /// Creates an empty set of questions. Each question waits `timeout_ms` milliseconds; 0 means without a
    /// limit.
    pub fn new(timeout_ms: u64) -> Self {
        Self { timeout_ms, waiting: BTreeMap::new(), ended: BTreeSet::new() }
    }

    /// Adds a question. `now_ms` is the time in milliseconds of any monotonic clock.
    ///
    /// # Errors
    /// If the id was used before, by a pending or an ended question.
    pub fn ask(&mut self, request: ApprovalRequest, now_ms: u64) -> Result<(), AnswerError> {
        let id = request.request_id.clone();
        if self.waiting.contains_key(&id) || self.ended.contains(&id) {
            return Err(AnswerError::Duplicate { request_id: id });
        }
        let deadline = (self.timeout_ms > 0).then(|| now_ms.saturating_add(self.timeout_ms));
        self.waiting.insert(id, (request, deadline));
        Ok(())
    }

    /// Ends a question and returns it.
    ///
    /// # Errors
    /// If the question was not asked, or has ended before.
    pub fn end(&mut self, outcome: &ApprovalOutcome) -> Result<ApprovalRequest, AnswerError> {
        let request_id = outcome.request_id();
        match self.waiting.remove(request_id) {
            Some((request, _)) => {
                self.ended.insert(request_id.to_owned());
                Ok(request)
            }
            None if self.ended.contains(request_id) => {
                Err(AnswerError::Late { request_id: request_id.to_owned() })
            }
            None => Err(AnswerError::Unknown { request_id: request_id.to_owned() }),
        }
    }

    /// Returns a timeout outcome for each question past its deadline. The questions stay pending until the
    /// caller passes the outcomes to [`end`](Self::end).
    pub fn overdue(&self, now_ms: u64) -> Vec<ApprovalOutcome> {
        self.waiting
            .iter()
            .filter(|(_, (_, deadline))| deadline.is_some_and(|deadline| deadline <= now_ms))
            .map(|(id, _)| ApprovalOutcome::TimedOut { request_id: id.clone() })
            .collect()
    }

    /// Returns the earliest deadline, or `None` if no pending question has one.
    pub fn next_deadline(&self) -> Option<u64> {
        self.waiting.values().filter_map(|(_, deadline)| *deadline).min()
    }

    /// Returns the pending questions, ordered by id.
    pub fn waiting(&self) -> impl Iterator<Item = &ApprovalRequest> {
        self.waiting.values().map(|(request, _)| request)
    }

    /// Withdraws and returns all pending questions, for example when the run is stopped (RULES H16).
    pub fn clear(&mut self) -> Vec<ApprovalRequest> {
        let waiting = std::mem::take(&mut self.waiting);
        self.ended.extend(waiting.keys().cloned());
        waiting.into_values().map(|(request, _)| request).collect()
    }
}
