//! A command with its whole process group: started, told to stop, killed, and never left behind (RULES Q1).

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessGroup};
use tokio::process::{ChildStderr, ChildStdout, Command};

use crate::environment::environment;

/// How long a group may tidy up after TERM before it is killed.
const GRACE: Duration = Duration::from_secs(2);
const TERM: i32 = 15;

/// A running command. Dropping it kills the group.
pub(crate) struct Group {
    child: Box<dyn ChildWrapper>,
}

impl Group {
    /// Starts a shell on the command, with closed input and its own process group.
    pub(crate) fn start(command: &str, folder: &Path) -> io::Result<Self> {
        let shell = if Path::new("/bin/bash").exists() { "/bin/bash" } else { "/bin/sh" };
        let mut process = Command::new(shell);
        process.arg("-c").arg(command).current_dir(folder);
        process.env_clear().envs(environment(std::env::vars_os()));
        process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut wrapped = CommandWrap::from(process);
        wrapped.wrap(ProcessGroup::leader()).wrap(KillOnDrop);
        Ok(Self { child: wrapped.spawn()? })
    }

    pub(crate) fn pipes(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdout().take(), self.child.stderr().take())
    }

    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        // The leader alone: its group may outlive it, and is killed later.
        self.child.inner_mut().wait().await
    }

    /// TERM to the group, a grace for the leader, then KILL to whoever is left.
    pub(crate) async fn stop(&mut self) {
        // A group that is already gone cannot be signalled, and need not be.
        let _ = self.child.signal(TERM);
        let _ = tokio::time::timeout(GRACE, self.wait()).await;
        self.kill();
        let _ = tokio::time::timeout(GRACE, self.wait()).await;
    }

    /// KILL to whoever is left of the group.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.start_kill();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
