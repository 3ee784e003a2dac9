//! Signals that end the process.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::terminal::keep_process_at_signals;

/// Handlers of the signals with which a terminal, a shell or a service manager ends a process. While they
/// exist, these signals do not end the process, so destructors run.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    pub(crate) fn listen() -> anyhow::Result<Self> {
        keep_process_at_signals();
        let listen = |kind| signal(kind).context("signal handlers cannot be installed");
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for a signal that ends the process, and returns the exit code that shells report for it: 128
    /// plus the signal's number. Ignores SIGINT after `is_driven` is set, because the run then handles it.
    /// Cancel-safe.
    pub(crate) async fn wait_for_end(&mut self, is_driven: &AtomicBool) -> u8 {
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
