//! An approver whose questions an application takes from a queue.

use std::num::NonZeroUsize;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use tokio::sync::{mpsc, oneshot};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};

use crate::{Approver, ApproverFuture};

/// Puts each question into a queue, from which an application takes it to answer it at any time.
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

/// The questions of a [`ChannelApprover`], as a stream. Dropping it is nobody being there any more.
#[derive(Debug)]
pub struct Questions {
    waiting: mpsc::Receiver<OpenQuestion>,
}

/// A question that waits for its answer. Dropping it unanswered is nobody being there for it.
#[derive(Debug)]
pub struct OpenQuestion {
    request: ApprovalRequest,
    answer: oneshot::Sender<ApprovalDecision>,
}

/// Why an answer is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerRefused {
    /// The question timed out, was cancelled, or its run is gone.
    #[error("the question has ended; the answer came too late")]
    Late,
    /// The answer names another question.
    #[error("the answer is to another question")]
    WrongQuestion,
}

impl ChannelApprover {
    /// An approver, and its questions. So many of them wait in the queue; what is asked beyond that waits for a place.
    pub fn new(capacity: NonZeroUsize) -> (Self, Questions) {
        let (sender, receiver) = mpsc::channel(capacity.get().min(tokio::sync::Semaphore::MAX_PERMITS));
        (Self { waiting: sender }, Questions { waiting: receiver })
    }
}

impl Approver for ChannelApprover {
    /// Cancel-safe: a question whose asker is gone is not given out any more, and one that was given out says so.
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
                // Nobody waits for its answer any more.
                Poll::Ready(Some(question)) if question.has_ended() => {}
                other => return other,
            }
        }
    }
}

impl OpenQuestion {
    /// What is asked.
    pub fn request(&self) -> &ApprovalRequest {
        &self.request
    }

    /// Whether nobody waits for the answer any more: it timed out, was cancelled, or its run is gone.
    pub fn has_ended(&self) -> bool {
        self.answer.is_closed()
    }

    /// Waits until nobody waits for the answer any more, so that the question can be taken off the screen.
    ///
    /// Cancel-safe.
    pub async fn ended(&mut self) {
        self.answer.closed().await;
    }

    /// Yes, once.
    ///
    /// # Errors
    /// If the question has ended.
    pub fn approve(self) -> Result<(), AnswerRefused> {
        let decision = ApprovalDecision::approve(self.request.request_id.clone());
        self.answer(decision)
    }

    /// No, and why.
    ///
    /// # Errors
    /// If the question has ended.
    pub fn deny(self, reason: Option<String>) -> Result<(), AnswerRefused> {
        let decision = ApprovalDecision::deny(self.request.request_id.clone(), reason);
        self.answer(decision)
    }

    /// Any answer.
    ///
    /// # Errors
    /// If it is to another question, or the question has ended. The question is gone then: nobody is there for it.
    pub fn answer(self, decision: ApprovalDecision) -> Result<(), AnswerRefused> {
        if decision.request_id != self.request.request_id {
            return Err(AnswerRefused::WrongQuestion);
        }
        self.answer.send(decision).map_err(|_| AnswerRefused::Late)
    }
}
