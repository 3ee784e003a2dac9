//! Shutdown of a server, as seen by its connections and responses.

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

impl Stop {
    pub(crate) fn channel() -> (watch::Sender<Phase>, Self) {
        let (sender, receiver) = watch::channel(Phase::Serving);
        (sender, Self(Some(receiver)))
    }

    /// Waits until open responses must end.
    pub(crate) async fn wait(&mut self) {
        self.wait_for(Phase::Ending).await;
    }

    /// Waits until the server reaches this phase or a later one.
    pub(crate) async fn wait_for(&mut self, phase: Phase) {
        if let Some(phases) = &mut self.0
            && phases.wait_for(|now| *now >= phase).await.is_ok()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}
