//! Shutdown of a server, as seen by its connections and responses.

use std::future::poll_fn;
use std::task::{Context, Poll, Waker, ready};

use futures_util::future::BoxFuture;
use tokio::sync::watch;

/// The phase of a shutdown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    #[default]
    Serving,
    /// Accepts no further requests; open responses continue.
    Draining,
    /// Open responses end with an error.
    Ending,
}

/// A handle that waits for shutdown phases. The default handle, without a server, waits forever.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Option<watch::Receiver<Phase>>);

/// The signal that a phase has begun, for a task that polls it beside other work.
#[derive(Default)]
pub(crate) struct StopSignal(Option<Registration>);

/// The wait for a phase. All connections share the list of waiting tasks and its lock, so the list is used once for each
/// task and change of the phase, and not for each poll.
struct Registration {
    wait: BoxFuture<'static, ()>,
    phases: watch::Receiver<Phase>,
    /// The waker that is in the list.
    waker: Option<Waker>,
}

impl StopSignal {
    /// Polls the signal. It is ready once.
    pub(crate) fn poll_begin(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(Registration { wait, phases, waker }) = &mut self.0 else { return Poll::Pending };
        let is_registered = waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker()));
        // An error means that the server has ended without a phase.
        if is_registered && matches!(phases.has_changed(), Ok(false)) {
            return Poll::Pending;
        }
        phases.mark_unchanged();
        *waker = Some(context.waker().clone());
        ready!(wait.as_mut().poll(context));
        self.0 = None;
        Poll::Ready(())
    }

    /// Waits for the signal. It is ready once. Cancel-safe.
    pub(crate) async fn begin(&mut self) {
        poll_fn(|context| self.poll_begin(context)).await;
    }
}

impl Stop {
    pub(crate) fn channel() -> (watch::Sender<Phase>, Self) {
        let (sender, receiver) = watch::channel(Phase::Serving);
        (sender, Self(Some(receiver)))
    }

    /// Returns the signal that a phase, or a later one, has begun.
    pub(crate) fn into_signal(self, phase: Phase) -> StopSignal {
        StopSignal(self.0.clone().map(|phases| Registration {
            wait: Box::pin(async move { self.wait_for(phase).await }),
            phases,
            waker: None,
        }))
    }

    /// Waits until the server reaches this phase or a later one.
    pub(crate) async fn wait_for(mut self, phase: Phase) {
        if let Some(phases) = &mut self.0
            && phases.wait_for(|now| *now >= phase).await.is_ok()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests;
