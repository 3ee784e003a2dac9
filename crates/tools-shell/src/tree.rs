//! A running command with all processes that it started. They are asked to stop, then killed, and never left
//! behind (RULES Q1).

use std::io::{self, PipeWriter};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

#[cfg(windows)]
use process_wrap::tokio::JobObject;
#[cfg(unix)]
use process_wrap::tokio::ProcessGroup;
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::Command;
use windlass_sandbox::{Leash, NotConfined, start_child};

use crate::launch::Launch;
use crate::screen::Size;
use crate::terminal::{self, Seat, Signal, signal_session};

/// The time between SIGTERM and SIGKILL, and the maximum time for the end after that.
const GRACE: Duration = Duration::from_secs(2);
#[cfg(unix)]
const TERM: i32 = 15;

/// A reader for the output of a command.
pub(crate) type Output = Box<dyn AsyncRead + Send + Unpin>;
/// A writer for the input of a command.
pub(crate) type Input = Box<dyn AsyncWrite + Send + Unpin>;

/// The host's ends of the streams of a command.
pub(crate) struct Ends {
    /// The standard output, or all output of the terminal.
    pub(crate) output: Option<Output>,
    pub(crate) errors: Option<Output>,
    pub(crate) input: Option<Input>,
}

/// A running command. Dropping it ends all of its processes.
pub(crate) struct Tree {
    child: Box<dyn ChildWrapper>,
    leash: Option<Leash>,
    /// The id of the session that the command leads; `None` for a confined command and without a terminal.
    session: Option<u32>,
    /// The helper's report, once it was requested.
    heard: Option<Result<(), NotConfined>>,
    _scratch: Option<TempDir>,
}

impl Tree {
    /// Starts the command in its own process group, or in a terminal.
    pub(crate) fn start(launch: Launch) -> io::Result<(Self, Ends)> {
        let Launch { process, leash, input, scratch, terminal, .. } = launch;
        let heard = leash.is_none().then_some(Ok(()));
        let (child, ends) = match terminal {
            Some(size) => at_terminal(process, size, leash.as_ref())?,
            None => with_pipes(process, leash.as_ref())?,
        };
        let ends = Ends { input: input.map(typed).transpose()?.or(ends.input), ..ends };
        let session = if leash.is_none() && terminal.is_some() { child.id() } else { None };
        Ok((Self { child, leash, session, heard, _scratch: scratch }, ends))
    }

    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        // Waits only for the leader. Without a helper its process group may outlive it, and is killed later.
        self.child.inner_mut().wait().await
    }

    /// Returns whether the command was confined as requested. The report is reliable only after the command
    /// has ended or has written output.
    pub(crate) fn check_confined(&mut self) -> Result<(), NotConfined> {
        let leash = self.leash.as_ref();
        self.heard.get_or_insert_with(|| leash.map_or(Ok(()), Leash::check_confined)).clone()
    }

    /// Sends SIGTERM to all processes, waits for the grace period, and kills the remaining processes.
    pub(crate) async fn stop(&mut self) {
        match (&self.leash, self.session) {
            (Some(leash), _) => leash.ask(),
            // A shell in a terminal ignores SIGTERM, but not SIGHUP.
            (None, Some(leader)) => {
                signal_session(leader, Signal::HangUp);
                signal_session(leader, Signal::Terminate);
            }
            // The signal fails if the process group is already gone, which is harmless.
            #[cfg(unix)]
            (None, None) => drop(self.child.signal(TERM)),
            // Windows cannot ask a process to stop.
            #[cfg(not(unix))]
            (None, None) => drop(self.child.start_kill()),
        }
        let _ = tokio::time::timeout(GRACE, self.wait()).await;
        self.end();
        if tokio::time::timeout(GRACE, self.wait()).await.is_err() {
            // The helper itself was stopped.
            let _ = self.child.start_kill();
            let _ = tokio::time::timeout(GRACE, self.wait()).await;
        }
    }

    /// Kills the remaining processes.
    pub(crate) fn end(&mut self) {
        let _ = self.check_confined();
        if self.leash.take().is_none() {
            self.kill();
        }
    }

    fn kill(&mut self) {
        if let Some(leader) = self.session {
            signal_session(leader, Signal::Kill);
        }
        let _ = self.child.start_kill();
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if self.leash.is_none() {
            self.kill();
        }
    }
}

/// Wraps the pipe to the input of a confined service. The service's helper receives the input over its [`Leash`].
#[cfg(unix)]
fn typed(pipe: PipeWriter) -> io::Result<Input> {
    let pipe = tokio::net::unix::pipe::Sender::from_owned_fd(pipe.into())?;
    Ok(Box::new(pipe))
}

#[cfg(not(unix))]
fn typed(_: PipeWriter) -> io::Result<Input> {
    Err(io::ErrorKind::Unsupported.into())
}

fn with_pipes(
    mut process: std::process::Command,
    leash: Option<&Leash>,
) -> io::Result<(Box<dyn ChildWrapper>, Ends)> {
    process.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut wrapped = CommandWrap::from(Command::from(process));
    #[cfg(unix)]
    wrapped.wrap(ProcessGroup::leader());
    #[cfg(windows)]
    wrapped.wrap(JobObject);
    // A helper ends when its leash is closed, and then cleans up after the command. A kill would prevent that.
    if leash.is_none() {
        wrapped.wrap(KillOnDrop);
    }
    let mut child = start_child(|| wrapped.spawn())?;
    let output = child.stdout().take().map(|pipe| Box::new(pipe) as Output);
    let errors = child.stderr().take().map(|pipe| Box::new(pipe) as Output);
    let input = child.stdin().take().map(|pipe| Box::new(pipe) as Input);
    Ok((child, Ends { output, errors, input }))
}

fn at_terminal(
    process: std::process::Command,
    size: Size,
    leash: Option<&Leash>,
) -> io::Result<(Box<dyn ChildWrapper>, Ends)> {
    let seat = if leash.is_some() { Seat::Helper } else { Seat::Child };
    let (child, ends) = terminal::start(process, size, seat)?;
    Ok((child, Ends { output: Some(ends.output), errors: None, input: Some(ends.input) }))
}
