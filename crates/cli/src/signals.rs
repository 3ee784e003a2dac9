//! Signals that end the process.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens to the signals by which a terminal, a shell or a service manager ends a process. From then on they do not end
/// it by themselves, so destructors run.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("signals cannot be listened to");
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for a signal that ends the process, and returns the exit code that shells report for it: 128 and the
    /// signal's number. SIGINT counts only until `is_driven` is set: from then on the run answers it. Cancel-safe.
    pub(crate) async fn ended(&mut self, is_driven: &AtomicBool) -> u8 {
        loop {
            let number = tokio::select! {
                _ = self.interrupt.recv() => SignalKind::interrupt(),
                _ = self.terminate.recv() => SignalKind::terminate(),
                _ = self.hang_up.recv() => SignalKind::hangup(),
            };
            if number != SignalKind::interrupt() || !is_driven.load(Ordering::Acquire) {
                let number = u8::try_from(number.as_raw_value()).unwrap_or_default();
                return number.saturating_add(128);
            }
        }
    }
}
