//! A server as a child process, with its own process group and a reduced environment. It does not outlive its
//! connection (RULES M5).

use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

#[cfg(windows)]
use process_wrap::tokio::JobObject;
#[cfg(unix)]
use process_wrap::tokio::ProcessGroup;
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, Command};
use tokio_util::sync::CancellationToken;

use crate::program::Program;
use crate::{ConnectFuture, Connector, Pipes};

/// Number of bytes kept from the end of the standard error output.
const HEARD_BYTES: usize = 4 * 1024;

/// Time to exit after the input closed, and again after SIGTERM.
const GRACE: Duration = Duration::from_millis(500);
#[cfg(unix)]
const TERM: i32 = 15;

/// A connector that starts a server's program.
#[derive(Debug)]
pub(crate) struct ChildConnector {
    program: Program,
    heard: Arc<Mutex<Vec<u8>>>,
}

/// A running server. Dropping it kills its process group.
struct Group(Box<dyn ChildWrapper>);

impl ChildConnector {
    pub(crate) fn new(program: Program) -> Self {
        Self { program, heard: Arc::default() }
    }

    fn start(&self) -> io::Result<Pipes> {
        let mut process = Command::new(&self.program.command);
        process.args(&self.program.arguments);
        process.env_clear().envs(self.program.environment.from_host(std::env::vars_os()));
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &self.program.folder {
            process.current_dir(folder);
        }
        let mut wrapped = CommandWrap::from(process);
        // The descendants of the server end with it.
        #[cfg(unix)]
        wrapped.wrap(ProcessGroup::leader());
        #[cfg(windows)]
        wrapped.wrap(JobObject);
        wrapped.wrap(KillOnDrop);
        let mut child = windlass_sandbox::start_child(|| wrapped.spawn())?;
        let (stdin, stdout, stderr) = (child.stdin().take(), child.stdout().take(), child.stderr().take());
        let mut group = Group(child);
        let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        if let Some(stderr) = stderr {
            tokio::spawn(hear(stderr, self.heard.clone()));
        }
        let over = CancellationToken::new();
        let watched = over.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = group.leader_ends() => {}
                () = watched.cancelled() => group.end().await,
            }
            drop(group);
        });
        Ok(Pipes::new(stdout, stdin).with_held(over.drop_guard()))
    }
}

impl Connector for ChildConnector {
    fn connect(&self) -> ConnectFuture<'_> {
        Box::pin(async { self.start() })
    }

    fn stderr_tail(&self) -> String {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&heard).trim().to_owned()
    }
}

impl Group {
    /// Waits for the group's leader only: a descendant can keep the output open, and is killed with the
    /// group.
    async fn leader_ends(&mut self) {
        let _ = self.0.inner_mut().wait().await;
    }

    /// Waits for the process to exit, since its input is closed by now; then sends SIGTERM and waits again.
    /// The drop kills the rest of the group.
    async fn end(&mut self) {
        if tokio::time::timeout(GRACE, self.leader_ends()).await.is_err() {
            // The signal fails only if the group is already gone. On Windows the group is killed at once.
            #[cfg(unix)]
            let _ = self.0.signal(TERM);
            #[cfg(not(unix))]
            let _ = self.0.start_kill();
            let _ = tokio::time::timeout(GRACE, self.leader_ends()).await;
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The kill fails only if the group is already gone.
        let _ = self.0.start_kill();
    }
}

/// Drains the standard error output, so that the server never blocks on it, and keeps the end of it.
async fn hear(mut stderr: ChildStderr, heard: Arc<Mutex<Vec<u8>>>) {
    let mut buf = [0; 1024];
    while let Ok(len @ 1..) = stderr.read(&mut buf).await {
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.extend_from_slice(buf.get(..len).unwrap_or_default());
        let surplus = heard.len().saturating_sub(HEARD_BYTES);
        heard.drain(..surplus);
    }
}
