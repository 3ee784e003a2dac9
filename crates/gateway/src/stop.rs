//! The end of a server, as its connections and answers see it.

use tokio::sync::watch;

/// How far a server has come with its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    #[default]
    Serving,
    /// No further request is taken; answers go on to their end.
    Draining,
    /// Answers end now, with an error.
    Ending,
}

/// Waits for the end of a server. Without a server, it never comes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Option<watch::Receiver<Phase>>);

impl Stop {
    pub(crate) fn channel() -> (watch::Sender<Phase>, Self) {
        let (sender, receiver) = watch::channel(Phase::Serving);
        (sender, Self(Some(receiver)))
    }

    /// Waits until answers have to end.
    pub(crate) async fn wait(&mut self) {
        self.reached(Phase::Ending).await;
    }

    /// Waits until the server has come so far.
    pub(crate) async fn reached(&mut self, phase: Phase) {
        if let Some(phases) = &mut self.0
            && phases.wait_for(|now| *now >= phase).await.is_ok()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}
