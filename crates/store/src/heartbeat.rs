//! The renewal of a lease while its owner works.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use std::{io, thread};

use crate::{Lease, StoreError};

/// A thread that renews a lease until it is dropped.
///
/// A failed renewal other than a lost lease is tried again at the next beat: a database that is down for less
/// than the lease's time costs nothing. Dropping the heartbeat ends the thread and does not release the lease.
#[derive(Debug)]
pub struct Heartbeat {
    /// Dropped to end the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Starts the renewals, one each `interval`; a third of the lease's time is a good choice. Calls `on_lost`
    /// once if another process has taken the run over. The owner should then stop working: its writes are
    /// refused.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn start(
        lease: Arc<dyn Lease>,
        interval: Duration,
        on_lost: impl FnOnce() + Send + 'static,
    ) -> io::Result<Self> {
        let (stop, stopped) = channel::<()>();
        let beat = move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(interval) {
                if let Err(StoreError::LeaseLost { .. }) = lease.renew() {
                    return on_lost();
                }
            }
        };
        let thread = thread::Builder::new().name("windlass-heartbeat".to_owned()).spawn(beat)?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        drop(self.stop.take());
        // A callback that drops the heartbeat runs on its thread, which cannot wait for itself.
        if let Some(beat) = self.thread.take().filter(|beat| beat.thread().id() != thread::current().id()) {
            drop(beat.join());
        }
    }
}
