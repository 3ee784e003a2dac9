//! Waits for the events of a helper process: ended children, signals, and the end of its [leash](crate::Leash).

use std::io;
use std::os::fd::AsFd;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use crate::plan::Hold;

/// The signals that ask a process to stop.
const STOPPING: [Signal; 4] = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT];

/// An event that a helper process has to handle.
pub(crate) enum News {
    /// A child has ended.
    Child,
    /// A signal or a message on the leash asks to stop.
    Asked,
    /// The host has closed the leash or has exited.
    Released,
}

pub(crate) struct Watch {
    signals: SignalFd,
    mask: SigSet,
    hold: Hold,
}

impl Watch {
    /// Creates the watch of a process on the host. Signals that ask to stop are blocked from here on and are
    /// returned by `next`.
    pub(crate) fn new(hold: Hold) -> nix::Result<Self> {
        Self::with_mask(STOPPING.into_iter().chain([Signal::SIGCHLD]).collect(), hold)
    }

    /// Creates the watch of the first process of a namespace. Signals that ask to stop have no effect on it.
    pub(crate) fn first(hold: Hold) -> nix::Result<Self> {
        Self::with_mask(SigSet::from(Signal::SIGCHLD), hold)
    }

    fn with_mask(mask: SigSet, hold: Hold) -> nix::Result<Self> {
        mask.thread_block()?;
        let signals = SignalFd::with_flags(&mask, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
        Ok(Self { signals, mask, hold })
    }

    /// Calls `start`, whose child must not inherit the signal mask. The caller has to check for ended
    /// children afterwards, because a signal may have been delivered meanwhile.
    pub(crate) fn with_signals<T>(&self, start: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        self.mask.thread_unblock()?;
        let started = start();
        self.mask.thread_block()?;
        started
    }

    /// Waits for the next event.
    pub(crate) fn next(&self) -> nix::Result<News> {
        loop {
            if let Some(news) = self.read_signal()? {
                return Ok(news);
            }
            let input = io::stdin();
            let mut waited = vec![PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
            if self.hold == Hold::Leash {
                waited.push(PollFd::new(input.as_fd(), PollFlags::POLLIN));
            }
            match poll(&mut waited, PollTimeout::NONE) {
                Ok(_) | Err(Errno::EINTR) => {}
                Err(error) => return Err(error),
            }
            // Check for an ended child first, so that its end is not mistaken for a release.
            if let Some(news) = self.read_signal()? {
                return Ok(news);
            }
            if waited.get(1).and_then(PollFd::revents).is_some_and(|events| !events.is_empty()) {
                return Ok(match nix::unistd::read(input.as_fd(), &mut [0]) {
                    Ok(1) => News::Asked,
                    _ => News::Released,
                });
            }
        }
    }

    fn read_signal(&self) -> nix::Result<Option<News>> {
        let Some(info) = self.signals.read_signal()? else { return Ok(None) };
        let number = i32::try_from(info.ssi_signo).unwrap_or_default();
        Ok(Some(match Signal::try_from(number) {
            Ok(signal) if signal != Signal::SIGCHLD => News::Asked,
            _ => News::Child,
        }))
    }
}
