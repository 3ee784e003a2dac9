//! Echo of typed keys, switched off while a run prints its text. Otherwise the terminal would write the keys into
//! the text of the model.

use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use anyhow::Context as _;
use rustix::process::{Signal, getpgrp, getpid, kill_process};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};
use tokio::signal::unix::{Signal as Signals, SignalKind, signal};

struct Echo {
    /// Number of runs that print.
    runs: usize,
    /// Number of readers of a line, whose keys are echoed.
    readers: usize,
    /// The attributes of the terminal before the echo was switched off; `None` while it is on.
    before: Option<Termios>,
}

/// True if another part of the program ends the process at a signal.
static KEEPS_PROCESS: AtomicBool = AtomicBool::new(false);

/// Leaves the end of the process to the caller, which handles the signals that end it.
#[cfg(any(feature = "acp", feature = "mock", feature = "server", feature = "tui"))]
pub(crate) fn keep_process_at_signals() {
    KEEPS_PROCESS.store(true, Ordering::Release);
}

static ECHO: Mutex<Echo> = Mutex::new(Echo { runs: 0, readers: 0, before: None });

fn echo() -> MutexGuard<'static, Echo> {
    ECHO.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Echo {
    /// Switches the echo off or on, as the runs and the readers need it.
    fn apply(&mut self) {
        if self.runs > 0 && self.readers == 0 { self.switch_off() } else { self.restore() }
    }

    fn switch_off(&mut self) {
        let stdin = io::stdin();
        // A process in the background that changes its terminal is stopped.
        let is_background = tcgetpgrp(&stdin).is_ok_and(|group| group != getpgrp());
        if self.before.is_some() || is_background {
            return;
        }
        let Ok(before) = tcgetattr(&stdin) else { return };
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        if before.local_modes.contains(LocalModes::ECHO)
            && tcsetattr(&stdin, OptionalActions::Now, &silent).is_ok()
        {
            self.before = Some(before);
        }
    }

    fn restore(&mut self) {
        if let Some(before) = self.before.take() {
            // A terminal that is gone needs no attributes.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
        }
    }
}

/// Guard that keeps the echo off while a run prints to a terminal. Dropping it restores the terminal, and so do the
/// signals that end or stop the process.
#[derive(Debug)]
pub(crate) struct EchoOff {
    is_counted: bool,
}

impl EchoOff {
    /// Switches the echo off if standard input and standard output are terminals.
    ///
    /// # Errors
    ///
    /// Fails if the handlers of signals cannot be installed.
    pub(crate) fn begin() -> anyhow::Result<Self> {
        let is_counted = io::stdin().is_terminal() && io::stdout().is_terminal();
        if is_counted {
            watch_signals()?;
            let mut echo = echo();
            echo.runs = echo.runs.saturating_add(1);
            echo.apply();
        }
        Ok(Self { is_counted })
    }
}

impl Drop for EchoOff {
    fn drop(&mut self) {
        if self.is_counted {
            let mut echo = echo();
            echo.runs = echo.runs.saturating_sub(1);
            echo.apply();
        }
    }
}

/// Guard that keeps the echo on while a line is read.
#[derive(Debug)]
pub(super) struct EchoOn {
    _private: (),
}

impl EchoOn {
    pub(super) fn begin() -> Self {
        let mut echo = echo();
        echo.readers = echo.readers.saturating_add(1);
        echo.apply();
        Self { _private: () }
    }
}

impl Drop for EchoOn {
    fn drop(&mut self) {
        let mut echo = echo();
        echo.readers = echo.readers.saturating_sub(1);
        echo.apply();
    }
}

/// Signals that end or stop the process while the echo is off. Their handlers stay until the process ends, because
/// the runtime cannot remove them.
struct Watcher {
    terminate: Signals,
    hang_up: Signals,
    quit: Signals,
    stop: Signals,
    resume: Signals,
}

/// Starts to restore the terminal at signals, once per process.
fn watch_signals() -> anyhow::Result<()> {
    static START: Once = Once::new();
    let listen = |kind| signal(kind).context("signal handlers cannot be installed");
    let of = |signal: Signal| SignalKind::from_raw(signal.as_raw());
    if !START.is_completed() {
        let watcher = Watcher {
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
            quit: listen(SignalKind::quit())?,
            stop: listen(of(Signal::TSTP))?,
            resume: listen(of(Signal::CONT))?,
        };
        START.call_once(|| drop(tokio::spawn(watcher.run())));
    }
    Ok(())
}

impl Watcher {
    async fn run(mut self) {
        loop {
            let ending = tokio::select! {
                _ = self.terminate.recv() => SignalKind::terminate(),
                _ = self.hang_up.recv() => SignalKind::hangup(),
                _ = self.quit.recv() => SignalKind::quit(),
                _ = self.stop.recv() => {
                    echo().restore();
                    // SIGTSTP has a handler now, and SIGSTOP cannot have one.
                    let _ = kill_process(getpid(), Signal::STOP);
                    continue;
                }
                _ = self.resume.recv() => {
                    echo().apply();
                    continue;
                }
            };
            echo().restore();
            if KEEPS_PROCESS.load(Ordering::Acquire) {
                continue;
            }
            let number = ending.as_raw_value().saturating_add(128);
            // Like the default action of the signal, this runs no destructors, and the run can be resumed.
            std::process::exit(number);
        }
    }
}
