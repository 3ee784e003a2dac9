//! Somebody who says whether a call may run.

mod answers;
mod channel;
#[cfg(unix)]
mod file;
mod stored;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use windlass_hitl::{ApprovalDecision, ApprovalRequest};

pub use answers::{Answer, Answers};
pub use channel::{AnswerRefused, ChannelApprover, OpenQuestion, Questions};
#[cfg(unix)]
pub use file::{ApprovalFolderError, FileApprover, RefusedFile, RefusedFileReason};
pub use stored::StoredAnswers;

/// The wait for an answer; nothing if nobody is there to give one.
pub type ApproverFuture<'a> = Pin<Box<dyn Future<Output = Option<ApprovalDecision>> + Send + 'a>>;

/// Somebody who says whether a call may run: a terminal, a window, a test.
///
/// ```
/// use windlass_agent::{Approver, ApproverFuture};
/// use windlass_hitl::{ApprovalDecision, ApprovalRequest, Risk};
///
/// /// Says yes to what can be undone.
/// struct Careful;
///
/// impl Approver for Careful {
///     fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
///         let id = request.request_id.clone();
///         let decision = if request.risk <= Risk::Medium {
///             ApprovalDecision::approve(id)
///         } else {
///             ApprovalDecision::deny(id, Some("too risky".into()))
///         };
///         Box::pin(async move { Some(decision) })
///     }
/// }
/// ```
pub trait Approver: Send + Sync {
    /// Asks and waits. Several questions can be open at once; those of one turn come in the order of its calls, each when
    /// the future of the one before it was polled. The loop keeps the time: when it is over, the
    /// future is dropped, so it must be cancel-safe.
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a>;
}

/// An approver who is shared.
impl<T: Approver + ?Sized> Approver for Arc<T> {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        (**self).decide(request)
    }
}

/// Says yes to everything that policy does not deny.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to hold")]
pub struct Everything;

impl Approver for Everything {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async { Some(ApprovalDecision::approve(request.request_id.clone())) })
    }
}

/// Is not there: what policy does not allow does not run.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to hold")]
pub struct Nobody;

impl Approver for Nobody {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async { None })
    }
}
