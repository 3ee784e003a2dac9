//! Runs what was launched to its end, its time limit or its cancellation, and tells what it printed.

use std::pin::pin;
use std::process::ExitStatus;
use std::time::Duration;

use windlass_protocol::ResultStatus;
use windlass_sandbox::Level;
use windlass_tool::{Context, Output, ToolError};

use crate::launch::{Disk, Launch};
use crate::stream::Stream;
use crate::tree::Tree;

const DEFAULT_TIMEOUT: u64 = 120_000;
const MAX_TIMEOUT: u64 = 600_000;
/// How much of each stream the model is shown, together 30,000 bytes (RULES R9): a flood on one never costs
/// the other.
const STDOUT_BYTES: usize = 20_000;
const STDERR_BYTES: usize = 10_000;
/// How often is looked at what is left of the disk.
const LOOK: Duration = Duration::from_millis(250);
/// How long the pipes are read after the command's end.
const DRAIN: Duration = Duration::from_secs(2);

/// How the command came to its end.
enum End {
    Exit(ExitStatus),
    TimedOut,
    Cancelled,
    /// It left too little of the disk.
    DiskFull {
        spare: u64,
    },
}

/// The time limit that a call asks for, in bounds.
pub(crate) fn limit(timeout_ms: Option<u64>) -> Duration {
    Duration::from_millis(timeout_ms.unwrap_or(DEFAULT_TIMEOUT).clamp(1, MAX_TIMEOUT))
}

/// Does what may wait for files on a thread for that, and runs what comes of it.
pub(crate) async fn launch_and_run(
    ctx: &Context,
    limit: Duration,
    launch: impl FnOnce() -> std::io::Result<Launch> + Send + 'static,
) -> Result<Output, ToolError> {
    if ctx.cancellation().is_cancelled() {
        return Err(ToolError::model("the call was stopped before it began; nothing was run"));
    }
    let failed = |error| ToolError::model(format!("nothing was run: it could not be prepared: {error}"));
    let launch = match tokio::task::spawn_blocking(launch).await {
        Ok(launch) => launch.map_err(failed)?,
        Err(error) => return Err(told(error)),
    };
    run(ctx, launch, limit).await
}

async fn run(ctx: &Context, launch: Launch, limit: Duration) -> Result<Output, ToolError> {
    let level = launch.level;
    let disk = launch.disk;
    let launch = Launch { disk: None, ..launch };
    let failed = |error| ToolError::model(format!("the command could not be started: {error}"));
    let mut tree = Tree::start(launch).map_err(failed)?;
    let (stdout, stderr) = tree.pipes();
    let (out, err) = (Stream::new("stdout", STDOUT_BYTES), Stream::new("stderr", STDERR_BYTES));
    let mut readers = pin!(async { tokio::join!(out.read(ctx, stdout), err.read(ctx, stderr)) });
    let mut deadline = pin!(tokio::time::sleep(limit));
    let mut filled = pin!(filled(disk));
    let mut drained = false;
    let end = loop {
        tokio::select! {
            biased;
            () = ctx.cancellation().cancelled() => break End::Cancelled,
            status = tree.wait() => match status {
                Ok(status) => break End::Exit(status),
                Err(error) => return Err(told(format!("the command's end could not be seen: {error}"))),
            },
            () = &mut deadline => break End::TimedOut,
            spare = &mut filled => break End::DiskFull { spare },
            _ = &mut readers, if !drained => drained = true,
        }
    };
    let stopping = async {
        if !matches!(end, End::Exit(_)) {
            tree.stop().await;
        }
    };
    // Who holds a pipe open after the command's end gets a bounded time, then is killed with the group, and
    // what is then still in the pipe is read.
    let reading = async { drained || tokio::time::timeout(DRAIN, &mut readers).await.is_ok() };
    let ((), drained) = tokio::join!(stopping, reading);
    tree.end();
    if !drained {
        let _ = tokio::time::timeout(DRAIN, &mut readers).await;
    }
    tree.confined().map_err(told)?;
    Ok(output(&end, level, limit, [&out, &err]))
}

/// Ends when a disk is too full; never where none is watched.
async fn filled(disk: Option<Disk>) -> u64 {
    let Some(watched) = disk else { return std::future::pending().await };
    while !watched.is_full() {
        tokio::time::sleep(LOOK).await;
    }
    watched.spare
}

fn output(end: &End, level: Level, limit: Duration, [out, err]: [&Stream; 2]) -> Output {
    let (status, first) = match end {
        End::Exit(status) if status.success() => {
            (ResultStatus::Ok, format!("[exit code 0; sandbox: {level}]"))
        }
        End::Exit(status) => (ResultStatus::Error, format!("[{}; sandbox: {level}]", exit_words(*status))),
        End::TimedOut => (
            ResultStatus::TimedOut,
            format!(
                "[exit code 124: stopped after {} ms; sandbox: {level}; what it printed until then follows. Give a larger timeout_ms or a shorter command]",
                limit.as_millis()
            ),
        ),
        End::DiskFull { spare } => (
            ResultStatus::Error,
            format!(
                "[stopped, because it left less than {spare} bytes of the disk free; sandbox: {level}; what it printed until then follows]"
            ),
        ),
        End::Cancelled => (
            ResultStatus::Cancelled,
            format!("[stopped; sandbox: {level}; what it printed until then follows]"),
        ),
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
    match status.code() {
        // A helper tells a signal as shells do.
        Some(code @ 129..=192) => format!("exit code {code}, as of signal {}", code.saturating_sub(128)),
        Some(code) => format!("exit code {code}"),
        None => "no exit code".to_owned(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "used as a function for map_err")]
pub(crate) fn told(error: impl ToString) -> ToolError {
    ToolError::model(error.to_string())
}
