//! The questions that wait for an answer.

use std::collections::{BTreeMap, BTreeSet};

use crate::{ApprovalOutcome, ApprovalRequest};

/// How long a question waits: five minutes, in milliseconds.
pub const DEFAULT_TIMEOUT_MS: u64 = 300_000;

/// The questions that wait for an answer. Each is answered once; everything else is refused loudly (RULES H4).
#[derive(Clone, Debug)]
pub struct Approvals {
    timeout_ms: u64,
    /// Each with the time at which it is over, if it ever is.
    waiting: BTreeMap<String, (ApprovalRequest, Option<u64>)>,
    ended: BTreeSet<String>,
}

/// Why an answer is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// No such question was asked.
    #[error("there is no approval request {request_id}")]
    Unknown {
        /// What was answered.
        request_id: String,
    },
    /// The question was answered, timed out or was taken back before.
    #[error("approval request {request_id} has ended; the answer came too late")]
    Late {
        /// What was answered.
        request_id: String,
    },
    /// Two questions have one id.
    #[error("there is an approval request {request_id} already")]
    Duplicate {
        /// The id.
        request_id: String,
    },
}

impl Default for Approvals {
    fn default() -> Self {
        Self::new(DEFAULT_TIMEOUT_MS)
    }
}

impl Approvals {
    /// Creates an empty set of questions. Each waits `timeout_ms` milliseconds; 0 means without a limit, like every limit
    /// of a run.
    pub fn new(timeout_ms: u64) -> Self {
        Self { timeout_ms, waiting: BTreeMap::new(), ended: BTreeSet::new() }
    }

    /// Asks at a time, in milliseconds of any clock that only goes forward.
    ///
    /// # Errors
    /// If the id was used before.
    pub fn ask(&mut self, request: ApprovalRequest, now_ms: u64) -> Result<(), AnswerError> {
        let id = request.request_id.clone();
        if self.waiting.contains_key(&id) || self.ended.contains(&id) {
            return Err(AnswerError::Duplicate { request_id: id });
        }
        let deadline = (self.timeout_ms > 0).then(|| now_ms.saturating_add(self.timeout_ms));
        self.waiting.insert(id, (request, deadline));
        Ok(())
    }

    /// Takes the end of a question, and gives back the question.
    ///
    /// # Errors
    /// If nobody asked, or the question has ended before.
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

    /// The questions whose time is over, as outcomes to be ended.
    pub fn overdue(&self, now_ms: u64) -> Vec<ApprovalOutcome> {
        self.waiting
            .iter()
            .filter(|(_, (_, deadline))| deadline.is_some_and(|deadline| deadline <= now_ms))
            .map(|(id, _)| ApprovalOutcome::TimedOut { request_id: id.clone() })
            .collect()
    }

    /// When the next question's time is over; `None` if no question has a limit.
    pub fn next_deadline(&self) -> Option<u64> {
        self.waiting.values().filter_map(|(_, deadline)| *deadline).min()
    }

    /// The questions that wait, by id.
    pub fn waiting(&self) -> impl Iterator<Item = &ApprovalRequest> {
        self.waiting.values().map(|(request, _)| request)
    }

    /// Takes all questions back, as when the run is stopped (RULES H16).
    pub fn clear(&mut self) -> Vec<ApprovalRequest> {
        let waiting = std::mem::take(&mut self.waiting);
        self.ended.extend(waiting.keys().cloned());
        waiting.into_values().map(|(request, _)| request).collect()
    }
}
