//! Ctrl-Z: the shell gets the terminal until it continues the program.

use std::io;
use std::time::Duration;

use rustix::process::{Signal, kill_current_process_group};
use tokio::signal::unix::{SignalKind, signal};

use super::Driver;

/// The kernel discards the signal for a process group without a shell, so the wait for its end is bounded.
const DISCARDED: Duration = Duration::from_millis(500);

impl Driver {
    /// Stops the program like a shell's Ctrl-Z. Returns when the shell continues it, with everything painted again.
    pub(super) async fn suspend(&mut self) -> io::Result<()> {
        let mut continued = signal(SignalKind::from_raw(Signal::CONT.as_raw()))?;
        self.release_terminal()?;
        let stopped = kill_current_process_group(Signal::TSTP);
        if stopped.is_ok() {
            // Another thread may receive the signal a moment later.
            drop(tokio::time::timeout(DISCARDED, continued.recv()).await);
        }
        self.claim_terminal()
    }
}
