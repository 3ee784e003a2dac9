//! The stream of a session, on which a server sends requests (versions before 2026-07-28).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use windlass_tool::CancellationToken;

/// Longest wait for the server's response to the request for the stream.
const WAIT: Duration = Duration::from_millis(500);

/// The state of a session's stream: requested, open or refused. Clones share the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionStream {
    is_expected: Arc<AtomicBool>,
    settled: CancellationToken,
}

impl SessionStream {
    /// Records that the server assigned a session, so the engine requests its stream.
    pub(crate) fn expect(&self) {
        self.is_expected.store(true, Ordering::Release);
    }

    /// Records that the server opened or refused the stream.
    pub(crate) fn settle(&self) {
        self.settled.cancel();
    }

    /// Waits until the stream is open or refused, for at most 500 milliseconds. A call before that would lose
    /// the questions that the server sends on the stream.
    pub(crate) async fn wait(&self) {
        if self.is_expected.load(Ordering::Acquire) {
            let _ = tokio::time::timeout(WAIT, self.settled.cancelled()).await;
        }
    }
}
