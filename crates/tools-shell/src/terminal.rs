//! A pseudo-terminal for a command. Its other end becomes stdin, stdout and stderr of the child.

use std::io;

use process_wrap::tokio::ChildWrapper;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::Command;

use crate::screen::Size;

/// The output and the input of a program in a terminal.
pub(crate) struct Ends {
    pub(crate) output: Box<dyn AsyncRead + Send + Unpin>,
    pub(crate) input: Box<dyn AsyncWrite + Send + Unpin>,
}

/// The process that makes the terminal the controlling one of the command's session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seat {
    /// The helper that confines the command.
    Helper,
    /// The child itself, before it becomes the command, because it has no helper.
    Child,
}

/// Starts a process in a new terminal.
#[cfg(unix)]
pub(crate) fn start(
    process: std::process::Command,
    size: Size,
    seat: Seat,
) -> io::Result<(Box<dyn ChildWrapper>, Ends)> {
    use std::os::fd::AsFd;

    use windlass_sandbox::start_child;

    let (pty, pts) = pty_process::open().map_err(io_error)?;
    pty.resize(pty_process::Size::new(size.rows.get(), size.columns.get())).map_err(io_error)?;
    let mut process = process;
    let child = match seat {
        Seat::Helper => {
            let own = pts.as_fd().try_clone_to_owned()?;
            process.stdout(own.try_clone()?).stderr(own);
            // A helper ends when its leash (`windlass_sandbox::Leash`) is closed, and then cleans up after the
            // command. A kill would prevent that.
            start_child(|| Command::from(process).spawn())?
        }
        Seat::Child => {
            let process = pty_process::Command::from(Command::from(process));
            start_child(|| process.kill_on_drop(true).spawn(pts).map_err(io_error))?
        }
    };
    let (output, input) = pty.into_split();
    Ok((Box::new(child), Ends { output: Box::new(output), input: Box::new(input) }))
}

#[cfg(unix)]
fn io_error(error: pty_process::Error) -> io::Error {
    match error {
        pty_process::Error::Io(error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(not(unix))]
pub(crate) fn start(_: std::process::Command, _: Size, _: Seat) -> io::Result<(Box<dyn ChildWrapper>, Ends)> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Sends a signal to all processes of a session that the system lists. A process group is not enough, because
/// the shell of an unconfined terminal puts its jobs into groups of their own.
#[cfg(target_os = "linux")]
pub(crate) fn signal_session(leader: u32, signal: Signal) {
    use rustix::process::{Pid, kill_process};
    let which = match signal {
        Signal::HangUp => rustix::process::Signal::HUP,
        Signal::Terminate => rustix::process::Signal::TERM,
        Signal::Kill => rustix::process::Signal::KILL,
    };
    // Later rounds find processes that were started during an earlier round.
    for _ in 0..16 {
        let members: Vec<Pid> = members_of(leader);
        for member in &members {
            let _ = kill_process(*member, which);
        }
        if members.is_empty() || signal != Signal::Kill {
            return;
        }
    }
}

#[cfg(target_os = "linux")]
fn members_of(leader: u32) -> Vec<rustix::process::Pid> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let is_member = |id: &i32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The fields after the name, which may contain any characters: state, parent, group, session.
        let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let is_dead = fields.next().is_none_or(|state| matches!(state, "Z" | "X" | ""));
        !is_dead && fields.nth(2).and_then(|session| session.parse().ok()) == Some(leader)
    };
    ids.filter(is_member).filter_map(rustix::process::Pid::from_raw).collect()
}

/// On these systems only the process group of the leader is known.
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn signal_session(leader: u32, signal: Signal) {
    let which = match signal {
        Signal::HangUp => rustix::process::Signal::HUP,
        Signal::Terminate => rustix::process::Signal::TERM,
        Signal::Kill => rustix::process::Signal::KILL,
    };
    if let Some(group) = rustix::process::Pid::from_raw(leader.cast_signed()) {
        let _ = rustix::process::kill_process_group(group, which);
    }
}

#[cfg(not(unix))]
pub(crate) fn signal_session(_: u32, _: Signal) {}

/// A signal for a session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    HangUp,
    Terminate,
    Kill,
}
