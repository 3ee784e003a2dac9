//! The terminal of a confined command: the helper's session has it, the command sits in its foreground.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Pid, ioctl_tiocsctty};
use rustix::termios::tcsetpgrp;

/// Makes the terminal on stdout the one of this process's session, which leads it and has none yet.
pub(crate) fn take() -> io::Result<()> {
    ioctl_tiocsctty(io::stdout()).map_err(Into::into)
}

/// Gives the terminal as input to a process that is to be started. Its group is its own: what a key signals, the
/// helper does not hear.
pub(crate) fn seat(process: &mut Command) -> io::Result<()> {
    process.stdin(io::stdout().as_fd().try_clone_to_owned()?).process_group(0);
    Ok(())
}

/// Puts a started process in the foreground. If it has read before, it was stopped, and is told to go on by whoever
/// waits for it; if it is a shell, it has done so itself.
pub(crate) fn bring_forward(child: u32) {
    if let Some(child) = Pid::from_raw(child.cast_signed()) {
        let _ = tcsetpgrp(io::stdout(), child);
    }
}
