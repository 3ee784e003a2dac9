//! An approver with a list of answers, for tests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_protocol::Arguments;

use crate::{Approver, ApproverFuture};

/// An approver that answers from a list in the order of the requests, and stores the requests. At the end of
/// the list it is absent. Clones share the list.
///
/// ```
/// use windlass_agent::{Answers, ApproverReply};
/// let approver = Answers::new([ApproverReply::Approve, ApproverReply::Deny(Some("not that file".into()))]);
/// // … an agent with `approver.clone()` runs here …
/// assert_eq!(approver.requests().len(), 0);
/// assert_eq!(approver.remaining(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Answers {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    answers: VecDeque<ApproverReply>,
    asked: Vec<ApprovalRequest>,
}

/// One answer in the list of [`Answers`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApproverReply {
    /// Approves the call once.
    Approve,
    /// Approves the call, and calls of the same shape for the rest of the session.
    Remember,
    /// Approves the call with changed arguments.
    Edit(Arguments),
    /// Denies the call, with a reason for the model.
    Deny(Option<String>),
    /// The approver is absent.
    Nobody,
    /// Never answers, so that the request times out or is withdrawn.
    Wait,
    /// Approves another request than the one that was made.
    WrongQuestion,
}

impl Answers {
    /// Creates an approver with these answers.
    pub fn new(answers: impl IntoIterator<Item = ApproverReply>) -> Self {
        let state = State { answers: answers.into_iter().collect(), asked: Vec::new() };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<ApprovalRequest> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).asked.clone()
    }

    /// Returns the number of unused answers.
    pub fn remaining(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).answers.len()
    }
}

impl Approver for Answers {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        let answer = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.asked.push(request.clone());
            state.answers.pop_front()
        };
        let id = request.request_id.clone();
        Box::pin(async move {
            match answer? {
                ApproverReply::Approve => Some(ApprovalDecision::approve(id)),
                ApproverReply::Remember => Some(ApprovalDecision::approve(id).with_remember()),
                ApproverReply::Edit(arguments) => {
                    Some(ApprovalDecision::approve(id).with_arguments(arguments))
                }
                ApproverReply::Deny(reason) => Some(ApprovalDecision::deny(id, reason)),
                ApproverReply::WrongQuestion => Some(ApprovalDecision::approve(format!("{id}-other"))),
                ApproverReply::Nobody => None,
                ApproverReply::Wait => std::future::pending().await,
            }
        })
    }
}
