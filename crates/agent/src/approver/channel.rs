//! An approver whose requests an application receives from a queue.

use std::num::NonZeroUsize;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use tokio::sync::{mpsc, oneshot};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_protocol::Arguments;

use crate::{Approver, ApproverFuture};

/// An approver that sends each request into a queue. An application receives it there and can answer at any
/// time.
///
/// ```
/// use std::num::NonZeroUsize;
/// use futures_util::StreamExt;
/// use windlass_agent::ChannelApprover;
///
/// let (approver, mut questions) = ChannelApprover::new(NonZeroUsize::MIN);
/// let window = async move {
///     while let Some(question) = questions.next().await {
///         println!("{} wants to run", question.request().tool);
///         let _ = question.deny(Some("not today".into()));
///     }
/// };
/// # drop((approver, window));
/// ```
#[derive(Clone, Debug)]
pub struct ChannelApprover {
    waiting: mpsc::Sender<OpenQuestion>,
}

/// The requests of a [`ChannelApprover`] as a stream. Dropping it has the same effect as having no approver.
#[derive(Debug)]
pub struct Questions {
    waiting: mpsc::Receiver<OpenQuestion>,
}

/// An approval request that waits for its answer. Dropping it without an answer means that the approver is
/// absent for this request.
#[derive(Debug)]
pub struct OpenQuestion {
    request: ApprovalRequest,
    answer: oneshot::Sender<ApprovalDecision>,
}

/// The reason why an answer is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerRefused {
    /// The request timed out or was cancelled, or its run has ended.
    #[error("the question has ended; the answer came too late")]
    Late,
    /// The answer contains the id of another request.
    #[error("the answer is to another question")]
    WrongQuestion,
}

impl ChannelApprover {
    /// Creates an approver and the stream of its requests. The queue holds `capacity` requests; further
    /// requests wait for a free place.
    pub fn new(capacity: NonZeroUsize) -> (Self, Questions) {
        let (sender, receiver) = mpsc::channel(capacity.get().min(tokio::sync::Semaphore::MAX_PERMITS));
        (Self { waiting: sender }, Questions { waiting: receiver })
    }
}

impl Approver for ChannelApprover {
    /// Cancel-safe: [`Questions`] skips a request whose future was dropped, and [`OpenQuestion::has_ended`]
    /// returns `true` for it.
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let question = OpenQuestion { request: request.clone(), answer };
            self.waiting.send(question).await.ok()?;
            answered.await.ok()
        })
    }
}

impl Stream for Questions {
    type Item = OpenQuestion;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<OpenQuestion>> {
        loop {
            match self.waiting.poll_recv(cx) {
                // The run no longer waits for this answer.
                Poll::Ready(Some(question)) if question.has_ended() => {}
                other => return other,
            }
        }
    }
}

impl OpenQuestion {
    /// Returns the approval request.
    pub fn request(&self) -> &ApprovalRequest {
        &self.request
    }

    /// Returns whether the run no longer waits for the answer, because the request timed out or was cancelled
    /// or the run has ended.
    pub fn has_ended(&self) -> bool {
        self.answer.is_closed()
    }

    /// Waits until the run no longer waits for the answer, so that an application can remove the question
    /// from its screen.
    ///
    /// Cancel-safe.
    pub async fn wait_until_ended(&mut self) {
        self.answer.closed().await;
    }

    /// Approves the call once.
    ///
    /// # Errors
    /// Returns [`AnswerRefused::Late`] if the request has ended.
    pub fn approve(self) -> Result<(), AnswerRefused> {
        let decision = ApprovalDecision::approve(self.request.request_id.clone());
        self.answer(decision)
    }

    /// Approves the call with changed arguments. The changed call is checked like the call of the model, and
    /// is asked about again if this answer does not cover it
    /// ([`covers_edit`](windlass_hitl::ApprovalRequest::covers_edit)).
    ///
    /// # Errors
    /// Returns [`AnswerRefused::Late`] if the request has ended.
    pub fn approve_with(self, arguments: Arguments) -> Result<(), AnswerRefused> {
        let decision = ApprovalDecision::approve(self.request.request_id.clone());
        self.answer(decision.with_arguments(arguments))
    }

    /// Denies the call, with an optional reason for the model.
    ///
    /// # Errors
    /// Returns [`AnswerRefused::Late`] if the request has ended.
    pub fn deny(self, reason: Option<String>) -> Result<(), AnswerRefused> {
        let decision = ApprovalDecision::deny(self.request.request_id.clone(), reason);
        self.answer(decision)
    }

    /// Answers with any decision.
    ///
    /// # Errors
    /// Returns an error if the decision is for another request, or if the request has ended. In both cases
    /// the request is consumed, and the approver counts as absent for it.
    pub fn answer(self, decision: ApprovalDecision) -> Result<(), AnswerRefused> {
        if decision.request_id != self.request.request_id {
            return Err(AnswerRefused::WrongQuestion);
        }
        self.answer.send(decision).map_err(|_| AnswerRefused::Late)
    }
}
