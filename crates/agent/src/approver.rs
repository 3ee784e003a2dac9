//! The interface to the person or program that decides about approval requests, and its implementations.

mod answers;
mod channel;
#[cfg(unix)]
mod file;
mod reviewer;
mod stored;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use windlass_hitl::{ApprovalDecision, ApprovalRequest};

pub use answers::{Answers, ApproverReply};
pub use channel::{AnswerRefused, ChannelApprover, OpenQuestion, Questions};
#[cfg(unix)]
pub use file::{ApprovalFolderError, FileApprover, RefusedFile, RefusedFileReason};
pub use reviewer::ModelReviewer;
pub use stored::StoredAnswers;

/// The pending decision of an approver. `None` means that the approver is absent.
pub type ApproverFuture<'a> = Pin<Box<dyn Future<Output = Option<ApprovalDecision>> + Send + 'a>>;

/// The person or program that decides about approval requests: for example a terminal, a window or a test.
///
/// The policy decides which calls run without a question; every other call that it does not deny is passed to
/// the approver. [`ChannelApprover`] and [`FileApprover`] let an application or another process answer. A
/// trait implementation is needed only for other ways to ask:
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
    /// Returns the decision about a call. Several requests can be pending at once. The requests of one turn
    /// are passed on in the order of their calls: each after the future of the previous request was polled
    /// for the first time.
    ///
    /// The run drops the future when the request times out or is withdrawn, so the future must be
    /// cancel-safe.
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a>;
}

/// An approver behind a shared pointer.
impl<T: Approver + ?Sized> Approver for Arc<T> {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        (**self).decide(request)
    }
}

/// An approver that approves every request. Calls that the policy denies still do not run.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to hold")]
pub struct ApproveAll;

impl Approver for ApproveAll {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async { Some(ApprovalDecision::approve(request.request_id.clone())) })
    }
}

/// An approver that is absent: only calls that the policy allows run.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to hold")]
pub struct DenyAll;

impl Approver for DenyAll {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async { None })
    }
}
