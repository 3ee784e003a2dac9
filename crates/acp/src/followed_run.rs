//! The run that a prompt follows, in this process or in another.

use std::time::Duration;

use windlass_app::sessions::{RunEnd, RunHandle, SessionHost};

/// Interval at which the process of another run is looked for.
const INTERVAL: Duration = Duration::from_secs(1);

/// Run that a prompt follows.
#[derive(Debug)]
pub(crate) enum FollowedRun {
    /// The run works in this process.
    Here(RunHandle),
    /// The run with this id works in another process.
    Elsewhere(String),
}

impl FollowedRun {
    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Here(run) => run.run(),
            Self::Elsewhere(run) => run,
        }
    }

    /// Waits for the end of the session's run. Cancel-safe. The outcome of a run of another process is in the feed.
    pub(crate) async fn wait(&self, host: &SessionHost, session: &str) -> RunEnd {
        match self {
            Self::Here(run) => run.wait().await,
            Self::Elsewhere(run) => {
                while is_active(host, session).await {
                    tokio::time::sleep(INTERVAL).await;
                }
                RunEnd::Error { message: format!("the process of run {run} was killed") }
            }
        }
    }
}

/// Returns true if a process works on a session. A store that fails now can answer later.
async fn is_active(host: &SessionHost, session: &str) -> bool {
    let (host, session) = (host.clone(), session.to_owned());
    let found = tokio::task::spawn_blocking(move || host.sessions().find(&session)).await;
    !matches!(found, Ok(Ok(record)) if !record.state.is_active())
}
