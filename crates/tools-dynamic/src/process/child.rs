//! The process itself: a group of its own, a short environment, and no life after its connection (RULES Q1, Q2).

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessGroup};
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use windlass_sandbox::ChildEnvironment;

use super::ProcessFile;

/// How long it may tidy up after TERM, and how long its end may take after KILL.
const GRACE: Duration = Duration::from_secs(2);
const TERM: i32 = 15;
/// How much of its last words is kept.
const HEARD_BYTES: usize = 4 * 1024;

/// A process that was just started.
pub(crate) struct Child {
    pub(crate) group: Group,
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// A process with all that it started. Dropping it kills the group.
pub(crate) struct Group(Box<dyn ChildWrapper>);

impl Child {
    pub(crate) fn start(file: &ProcessFile) -> io::Result<Self> {
        let (program, words) = file.argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let environment = ChildEnvironment::new().with_value("WINDLASS_WORKSPACE", &file.workspace);
        let mut process = Command::new(program);
        process.args(words).current_dir(&file.folder);
        process.env_clear().envs(environment.of_host(std::env::vars_os()));
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut wrapped = CommandWrap::from(process);
        wrapped.wrap(ProcessGroup::leader()).wrap(KillOnDrop);
        let mut child = wrapped.spawn()?;
        let ends = (child.stdin().take(), child.stdout().take(), child.stderr().take());
        let group = Group(child);
        match ends {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok(Self { group, stdin, stdout, stderr }),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl Group {
    /// Waits for the leader alone: whoever it started may outlive it, and dies with the group.
    pub(crate) async fn exit(&mut self) -> Option<ExitStatus> {
        self.0.inner_mut().wait().await.ok()
    }

    /// Lets it leave by itself for so long, then TERM, a grace, KILL.
    pub(crate) async fn end(&mut self, patience: Duration) -> Option<ExitStatus> {
        if let Ok(status) = tokio::time::timeout(patience, self.exit()).await {
            self.kill();
            return status;
        }
        // A group that is already gone cannot be signalled, and need not be.
        let _ = self.0.signal(TERM);
        let left = tokio::time::timeout(GRACE, self.exit()).await;
        self.kill();
        match left {
            Ok(status) => status,
            Err(_) => tokio::time::timeout(GRACE, self.exit()).await.ok().flatten(),
        }
    }

    fn kill(&mut self) {
        // A group that is already gone cannot be killed, and need not be.
        let _ = self.0.start_kill();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Reads what a process says beside its answers, so that it never waits for a reader, and keeps the end of it.
pub(crate) async fn hear(mut stderr: ChildStderr, heard: &std::sync::Mutex<Vec<u8>>) {
    let mut chunk = [0; 1024];
    while let Ok(len @ 1..) = stderr.read(&mut chunk).await {
        let mut heard = heard.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        heard.extend_from_slice(chunk.get(..len).unwrap_or_default());
        let surplus = heard.len().saturating_sub(HEARD_BYTES);
        heard.drain(..surplus);
    }
}
