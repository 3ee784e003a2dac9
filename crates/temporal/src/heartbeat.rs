//! Heartbeats of long steps, with their progress.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use temporalio_sdk::activities::ActivityContext;

/// The interval of heartbeats for steps without a heartbeat timeout.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(10);
/// The number of bytes of a step's text that a heartbeat contains.
const TAIL_BYTES: usize = 512;

/// The progress of a step, which the server shows for pending activities.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// The number of pieces of the answer or of the output.
    pieces: u64,
    /// The number of bytes of text.
    bytes: u64,
    /// The newest text.
    tail: String,
}

/// The progress of a step that is being executed.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedProgress {
    progress: Arc<Mutex<Progress>>,
}

impl SharedProgress {
    /// Counts a piece of text.
    pub(crate) fn add(&self, text: &str) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.pieces = progress.pieces.saturating_add(1);
        progress.bytes = progress.bytes.saturating_add(text.len() as u64);
        progress.tail.push_str(text);
        let mut start = progress.tail.len().saturating_sub(TAIL_BYTES);
        while !progress.tail.is_char_boundary(start) {
            start = start.saturating_add(1);
        }
        progress.tail.drain(..start);
    }

    fn copy(&self) -> Progress {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Sends heartbeats until the work ends.
pub(crate) async fn beat_during<T>(
    ctx: &ActivityContext,
    progress: &SharedProgress,
    work: impl Future<Output = T>,
) -> T {
    let timeout = ctx.info().heartbeat_timeout.unwrap_or(DEFAULT_INTERVAL.saturating_mul(3));
    let interval = timeout.checked_div(3).unwrap_or(DEFAULT_INTERVAL).max(Duration::from_millis(50));
    let mut work = pin!(work);
    loop {
        tokio::select! {
            biased;
            end = &mut work => return end,
            () = tokio::time::sleep(interval) => {
                // A heartbeat that cannot be encoded is missing; the server then ends the attempt.
                drop(ctx.record_heartbeat(progress.copy()).await);
            }
        }
    }
}
