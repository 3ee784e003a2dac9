//! `run_command`: one shell command, its output and its exit code.

use std::path::Path;
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ResultStatus, Risk, ToolName, ToolSpec};
use windlass_sandbox::{Kind, Workspace};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture, read_arguments};

use crate::group::Group;
use crate::stream::Stream;

const DEFAULT_TIMEOUT: u64 = 120_000;
const MAX_TIMEOUT: u64 = 600_000;
/// How much of each stream the model is shown, together 30,000 bytes (RULES R9): a flood on one never costs
/// the other.
const STDOUT_BYTES: usize = 20_000;
const STDERR_BYTES: usize = 10_000;
/// How long the pipes are read after the command's end.
const DRAIN: Duration = Duration::from_secs(2);

const DESCRIPTION: &str = "Runs a shell command in the workspace and returns its output and exit code. Input \
    is closed, so nothing can ask back; background processes are killed when the command ends. Long output \
    is shown with head and tail and kept in a file. To read, search or change files use the tools for that.";

const SCHEMA: &str = r#"{"type":"object","properties":{
"command":{"type":"string","description":"The command, as a shell reads it."},
"cwd":{"type":"string","description":"The folder to run in, relative to the workspace. Default: the workspace itself."},
"timeout_ms":{"type":"integer","minimum":1,"maximum":600000,"description":"When to stop it, in milliseconds. Default 120000."}
},"required":["command"],"additionalProperties":false}"#;

/// The tool `run_command`.
#[derive(Debug)]
pub struct RunCommand {
    workspace: Arc<Workspace>,
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandArguments {
    command: String,
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default)]
    timeout_ms: Option<u64>,
}

/// How the command came to its end.
enum End {
    Exit(ExitStatus),
    TimedOut,
    Cancelled,
}

impl RunCommand {
    /// The tool on a workspace.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace, spec: spec() }
    }
}

fn spec() -> ToolSpec {
    let name = ToolName::new("run_command").expect("the tool's name is a plain word");
    ToolSpec::function(name, DESCRIPTION, SCHEMA.parse().expect("the tool's schema is JSON"))
}

impl Tool for RunCommand {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { open_world: true, risk: Risk::High, ..Hints::default() }
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        match read_arguments::<CommandArguments>(payload) {
            Ok(arguments) => vec![Effect::Execute {
                command: arguments.command,
                directory: self.workspace.effect_path(arguments.cwd.as_deref().unwrap_or(".")),
            }],
            Err(_) => vec![Effect::Unknown],
        }
    }

    /// Dropping the future kills the command's process group.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: CommandArguments = read_arguments(payload)?;
            if arguments.command.trim().is_empty() || arguments.command.contains('\0') {
                return Err(ToolError::model("the command is empty or has a NUL character; give a command"));
            }
            let folder = arguments.cwd.as_deref().unwrap_or(".");
            let path = self.workspace.resolve(folder).map_err(told)?;
            if self.workspace.kind(&path).map_err(told)? != Kind::Folder {
                return Err(ToolError::model(format!("`{folder}` is not a folder; give a folder as cwd")));
            }
            let folder = self.workspace.absolute(&path).map_err(told)?;
            let limit = arguments.timeout_ms.unwrap_or(DEFAULT_TIMEOUT).clamp(1, MAX_TIMEOUT);
            run(ctx, &arguments.command, &folder, Duration::from_millis(limit)).await
        })
    }
}

async fn run(ctx: &Context, command: &str, folder: &Path, limit: Duration) -> Result<Output, ToolError> {
    if ctx.cancellation().is_cancelled() {
        return Err(ToolError::model("the call was stopped before it began; nothing was run"));
    }
    let failed = |error| ToolError::model(format!("the command could not be started: {error}"));
    let mut group = Group::start(command, folder).map_err(failed)?;
    let (stdout, stderr) = group.pipes();
    let (out, err) = (Stream::new("stdout", STDOUT_BYTES), Stream::new("stderr", STDERR_BYTES));
    let mut readers = pin!(async { tokio::join!(out.read(ctx, stdout), err.read(ctx, stderr)) });
    let mut deadline = pin!(tokio::time::sleep(limit));
    let mut drained = false;
    let end = loop {
        tokio::select! {
            biased;
            () = ctx.cancellation().cancelled() => break End::Cancelled,
            status = group.wait() => match status {
                Ok(status) => break End::Exit(status),
                Err(error) => return Err(told(format!("the command's end could not be seen: {error}"))),
            },
            () = &mut deadline => break End::TimedOut,
            _ = &mut readers, if !drained => drained = true,
        }
    };
    let stopping = async {
        if !matches!(end, End::Exit(_)) {
            group.stop().await;
        }
    };
    // Who holds a pipe open after the command's end gets a bounded time, then is killed with the group, and
    // what is then still in the pipe is read.
    let reading = async { drained || tokio::time::timeout(DRAIN, &mut readers).await.is_ok() };
    let ((), drained) = tokio::join!(stopping, reading);
    group.kill();
    if !drained {
        let _ = tokio::time::timeout(DRAIN, &mut readers).await;
    }
    Ok(output(&end, limit, &out, &err))
}

fn output(end: &End, limit: Duration, out: &Stream, err: &Stream) -> Output {
    let (status, first) = match end {
        End::Exit(status) if status.success() => (ResultStatus::Ok, "[exit code 0]".to_owned()),
        End::Exit(status) => (ResultStatus::Error, format!("[{}]", exit_words(*status))),
        End::TimedOut => (
            ResultStatus::TimedOut,
            format!(
                "[exit code 124: stopped after {} ms; what it printed until then follows. Give a larger timeout_ms or a shorter command]",
                limit.as_millis()
            ),
        ),
        End::Cancelled => {
            (ResultStatus::Cancelled, "[stopped; what it printed until then follows]".to_owned())
        }
    };
    let (out, err) = (out.shown(), err.shown());
    let mut text = first;
    for (notice, _) in [&out, &err] {
        text.push_str(notice);
    }
    if !out.1.is_empty() {
        text.push('\n');
        text.push_str(&out.1);
    }
    if !err.1.is_empty() {
        text.push_str(if text.ends_with('\n') { "[stderr]\n" } else { "\n[stderr]\n" });
        text.push_str(&err.1);
    }
    Output::text(text).with_status(status)
}

fn exit_words(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("killed by signal {signal}");
    }
    status.code().map_or_else(|| "no exit code".to_owned(), |code| format!("exit code {code}"))
}

#[expect(clippy::needless_pass_by_value, reason = "used as a function for map_err")]
fn told(error: impl ToString) -> ToolError {
    ToolError::model(error.to_string())
}
