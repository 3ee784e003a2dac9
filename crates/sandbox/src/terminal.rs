//! The terminal of a confined command. It belongs to the helper's session, and the command's group is in its
//! foreground.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Pid, ioctl_tiocsctty};
use rustix::termios::tcsetpgrp;

/// Makes the terminal on stdout the controlling terminal of this process's session. The process has to be a
/// session leader without a terminal.
pub(crate) fn take() -> io::Result<()> {
    ioctl_tiocsctty(io::stdout()).map_err(Into::into)
}

/// Sets the terminal as the input of a process to be started. The process gets a group of its own, so a key's
/// signal does not reach the helper.
pub(crate) fn seat(process: &mut Command) -> io::Result<()> {
    process.stdin(io::stdout().as_fd().try_clone_to_owned()?).process_group(0);
    Ok(())
}

/// Puts a started process in the foreground. If it has already tried to read, it was stopped, and `wait_for`
/// continues it. A shell puts itself in the foreground.
pub(crate) fn bring_forward(child: u32) {
    if let Some(child) = Pid::from_raw(child.cast_signed()) {
        let _ = tcsetpgrp(io::stdout(), child);
    }
}
