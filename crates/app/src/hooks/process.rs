//! Start of a hook: its input, its time limit, and its bounded output.

use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use windlass_tools_shell::{ServiceCommand, Shell};

use super::definition::{HookDefinition, HookOwner};
use crate::config::variable;

/// Maximum size in bytes of the output and of the errors that are kept. The rest is read and dropped.
const MAX_OUTPUT: usize = 256 * 1024;
const MAX_ERRORS: usize = 16 * 1024;

/// Time in which a program that ran out of time may end by itself.
const GRACE: Duration = Duration::from_millis(200);

/// Variables with the addresses of the user's desktop, for programs that show notifications.
const DESKTOP: [&str; 4] = ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"];

/// The end of a hook.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HookEnd {
    /// The program exited with this code.
    Exit { code: i32, output: String, errors: String },
    /// The program could not be started or did not end in time, for this reason.
    Failed(String),
}

/// The shells of hooks, and the folder in which they start.
#[derive(Clone, Debug)]
pub(super) struct HookShells {
    /// The shell of the user's hooks.
    pub(super) user: Shell,
    /// The shell of a project's hooks.
    pub(super) project: Shell,
}

impl HookShells {
    /// Starts a program with an input and waits for its end. Dropping the future kills the program with all processes
    /// that it started.
    pub(super) async fn run(&self, definition: &HookDefinition, input: &str, root: &Path) -> HookEnd {
        let argv = definition.argv();
        let mut command =
            ServiceCommand::new(argv, root, root).with_value("CLAUDE_PROJECT_DIR", root.as_os_str());
        let shell = match definition.owner {
            HookOwner::User => {
                let set = DESKTOP.into_iter().filter_map(|name| Some((name, variable(name)?)));
                command = set.fold(command, |command, (name, value)| command.with_value(name, value));
                &self.user
            }
            HookOwner::Project => &self.project,
        };
        run_service(shell, &command, input, definition.timeout).await
    }
}

async fn run_service(shell: &Shell, command: &ServiceCommand, input: &str, limit: Duration) -> HookEnd {
    let (mut service, ends) = match shell.serve(command).await {
        Ok(started) => started,
        Err(error) => return HookEnd::Failed(format!("it could not be started: {error}")),
    };
    let mut stdin = ends.input;
    let write = async move {
        // A program that does not read its input closes it.
        let _ = stdin.write_all(input.as_bytes()).await;
        let _ = stdin.shutdown().await;
        drop(stdin);
    };
    let work = async {
        let ((), output, errors, status) =
            tokio::join!(write, read(ends.output, MAX_OUTPUT), read(ends.errors, MAX_ERRORS), service.wait());
        (output, errors, status)
    };
    let Ok((output, errors, status)) = tokio::time::timeout(limit, work).await else {
        let _ = service.end(GRACE).await;
        return HookEnd::Failed(format!("it did not end within {} seconds", limit.as_secs_f32()));
    };
    if let Err(error) = service.check_confined() {
        return HookEnd::Failed(error.to_string());
    }
    match status {
        Ok(status) => HookEnd::Exit { code: code_of(status), output, errors },
        Err(error) => HookEnd::Failed(format!("its end is unknown: {error}")),
    }
}

fn code_of(status: ExitStatus) -> i32 {
    // A program that a signal ended has no code.
    status.code().unwrap_or(-1)
}

/// Reads a stream to its end, and keeps its beginning.
async fn read(mut stream: impl AsyncRead + Unpin, most: usize) -> String {
    let (mut kept, mut chunk) = (Vec::new(), vec![0; 8 * 1024]);
    while let Ok(length @ 1..) = stream.read(&mut chunk).await {
        let room = most.saturating_sub(kept.len()).min(length);
        kept.extend_from_slice(chunk.get(..room).unwrap_or_default());
    }
    String::from_utf8_lossy(&kept).into_owned()
}
