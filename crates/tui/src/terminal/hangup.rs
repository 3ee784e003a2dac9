//! The end of the terminal: its window was closed, or the connection to it broke.

use std::io;
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// Watches the terminal, and makes its end harmless for the reader of keys.
///
/// The reader (crossterm 0.29) repeats a failed read without a wait, so a terminal that is gone costs it a whole core
/// (crossterm issue 793), and it may do so in the task that polls it. The watcher is a task of its own: it replaces
/// standard input by an empty pipe, from which a read would block, and then reports the end.
#[derive(Debug)]
pub(crate) struct Hangup {
    is_gone: watch::Receiver<bool>,
    watcher: AbortHandle,
}

impl Hangup {
    /// Starts the watcher. A system that cannot watch a terminal never reports its end.
    pub(crate) fn watch() -> Self {
        let (sender, is_gone) = watch::channel(false);
        let watcher = tokio::spawn(async move {
            let watched = rustix::io::dup(rustix::stdio::stdin()).map_err(io::Error::from);
            let is_over = match watched.and_then(register) {
                Ok(terminal) => wait_for_end(&terminal).await,
                Err(_) => false,
            };
            if is_over && replace_standard_input().is_ok() {
                sender.send_replace(true);
            } else {
                // Without the sender the end would be reported.
                std::future::pending::<()>().await;
            }
        });
        Self { is_gone, watcher: watcher.abort_handle() }
    }

    /// Waits for the end of the terminal. Cancel-safe.
    pub(crate) async fn wait(&mut self) {
        drop(self.is_gone.wait_for(|is_gone| *is_gone).await);
    }
}

impl Drop for Hangup {
    fn drop(&mut self) {
        self.watcher.abort();
    }
}

#[expect(
    deprecated,
    reason = "the successor is unsafe, and an owned descriptor is open while it is registered"
)]
fn register(terminal: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(terminal, Interest::READABLE)
}

/// Returns true when the terminal is gone, and false if it cannot be watched any more.
async fn wait_for_end(terminal: &AsyncFd<OwnedFd>) -> bool {
    loop {
        let Ok(mut ready) = terminal.readable().await else { return false };
        if has_hung_up(terminal.get_ref()) {
            return true;
        }
        // Keys wait, which the reader of keys takes.
        ready.clear_ready();
    }
}

fn has_hung_up(terminal: &OwnedFd) -> bool {
    let mut polled = [PollFd::new(terminal, PollFlags::empty())];
    let ended = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut polled, Some(&now)).is_ok() && polled.iter().any(|polled| polled.revents().intersects(ended))
}

/// Replaces standard input by a pipe without data whose other end stays open, so that reads return "would block".
fn replace_standard_input() -> io::Result<()> {
    let (reader, writer) = pipe_with(PipeFlags::NONBLOCK | PipeFlags::CLOEXEC)?;
    rustix::stdio::dup2_stdin(&reader)?;
    // Without a writer, a read would return the end of the input again and again.
    std::mem::forget(writer);
    Ok(())
}
