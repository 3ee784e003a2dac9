//! A running command with all that it started: asked to stop, ended, and never left behind (RULES Q1).

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessGroup};
use tempfile::TempDir;
use tokio::process::{ChildStderr, ChildStdout, Command};
use windlass_sandbox::{Leash, NotConfined};

use crate::launch::Launch;

/// How long a command may tidy up after it was asked to stop, and how long its end may take after that.
const GRACE: Duration = Duration::from_secs(2);
const TERM: i32 = 15;

/// A running command. Dropping it ends all of its processes.
pub(crate) struct Tree {
    child: Box<dyn ChildWrapper>,
    leash: Option<Leash>,
    /// What the helper said, once it was asked.
    heard: Option<Result<(), NotConfined>>,
    _scratch: Option<TempDir>,
}

impl Tree {
    /// Starts the command in a process group of its own.
    pub(crate) fn start(launch: Launch) -> io::Result<Self> {
        let Launch { mut process, leash, scratch, .. } = launch;
        process.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut wrapped = CommandWrap::from(Command::from(process));
        wrapped.wrap(ProcessGroup::leader());
        // A helper ends by its leash, and tidies up behind the command; nobody else would.
        if leash.is_none() {
            wrapped.wrap(KillOnDrop);
        }
        let heard = leash.is_none().then_some(Ok(()));
        Ok(Self { child: wrapped.spawn()?, leash, heard, _scratch: scratch })
    }

    pub(crate) fn pipes(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdout().take(), self.child.stderr().take())
    }

    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        // The leader alone: where there is no helper its group may outlive it, and is killed later.
        self.child.inner_mut().wait().await
    }

    /// Whether the command was started as confined as was said. For when it has ended.
    pub(crate) fn confined(&mut self) -> Result<(), NotConfined> {
        let leash = self.leash.as_ref();
        self.heard.get_or_insert_with(|| leash.map_or(Ok(()), Leash::confined)).clone()
    }

    /// Asks everybody to end, gives them a grace, then ends who is left.
    pub(crate) async fn stop(&mut self) {
        match &self.leash {
            Some(leash) => leash.ask(),
            // A group that is already gone cannot be signalled, and need not be.
            None => drop(self.child.signal(TERM)),
        }
        let _ = tokio::time::timeout(GRACE, self.wait()).await;
        self.end();
        if tokio::time::timeout(GRACE, self.wait()).await.is_err() {
            // A helper that was stopped itself.
            let _ = self.child.start_kill();
            let _ = tokio::time::timeout(GRACE, self.wait()).await;
        }
    }

    /// Ends who is left.
    pub(crate) fn end(&mut self) {
        let _ = self.confined();
        if self.leash.take().is_none() {
            let _ = self.child.start_kill();
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if self.leash.is_none() {
            let _ = self.child.start_kill();
        }
    }
}
