//! Cancellation of a call, independent of an async runtime.

mod node;

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use node::{Node, WakerKey};

/// A signal that cancels work. Clones share the signal; [`child_token`](Self::child_token) makes a signal that
/// is also cancelled with its parent.
///
/// The type needs no async runtime and no other crate. Its methods have the names of `tokio_util`'s type. To
/// cancel it together with a token of another library, await that token in a task and call
/// [`cancel`](Self::cancel).
///
/// ```
/// use windlass_tool::CancellationToken;
///
/// let run = CancellationToken::new();
/// let call = run.child_token();
/// call.cancel();
/// assert!(call.is_cancelled() && !run.is_cancelled());
/// run.cancel();
/// assert!(run.child_token().is_cancelled());
/// ```
#[derive(Clone, Default)]
pub struct CancellationToken {
    node: Arc<Node>,
}

impl CancellationToken {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a token that is cancelled together with this one. Cancelling the child does not cancel its
    /// parent.
    pub fn child_token(&self) -> Self {
        Self { node: Node::child_of(&self.node) }
    }

    /// Cancels this token and its children. Further calls have no effect.
    pub fn cancel(&self) {
        self.node.cancel();
    }

    /// Returns whether the token is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.node.is_cancelled()
    }

    /// Waits until the token is cancelled. Cancel-safe.
    pub fn cancelled(&self) -> Cancelled<'_> {
        Cancelled { node: &self.node, waker: None }
    }

    /// Runs a future until it completes or the token is cancelled, and returns `None` in the second case. A
    /// future that is ready when the token is cancelled is not polled again.
    pub async fn run_until_cancelled<F: Future>(&self, future: F) -> Option<F::Output> {
        let (mut cancelled, mut future) = (pin!(self.cancelled()), pin!(future));
        poll_fn(|context| match cancelled.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(None),
            Poll::Pending => future.as_mut().poll(context).map(Some),
        })
        .await
    }

    /// Returns a guard that cancels the token when it is dropped.
    pub fn drop_guard(self) -> DropGuard {
        DropGuard { token: Some(self) }
    }
}

impl fmt::Debug for CancellationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancellationToken").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

/// The future of [`CancellationToken::cancelled`].
pub struct Cancelled<'a> {
    node: &'a Node,
    /// The place of the registered waker, if the future has been polled.
    waker: Option<WakerKey>,
}

impl Future for Cancelled<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let node = self.node;
        if node.register(&mut self.waker, context.waker()) { Poll::Pending } else { Poll::Ready(()) }
    }
}

impl Drop for Cancelled<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.waker.take() {
            self.node.remove_waker(key);
        }
    }
}

impl fmt::Debug for Cancelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancelled").finish_non_exhaustive()
    }
}

/// A guard that cancels its token when it is dropped, made by [`CancellationToken::drop_guard`].
#[derive(Debug)]
pub struct DropGuard {
    token: Option<CancellationToken>,
}

impl DropGuard {
    /// Returns the token without cancelling it.
    pub fn disarm(mut self) -> CancellationToken {
        self.token.take().unwrap_or_default()
    }
}

impl Drop for DropGuard {
    fn drop(&mut self) {
        if let Some(token) = &self.token {
            token.cancel();
        }
    }
}
