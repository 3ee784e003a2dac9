//! A command from its start to its end: its time limits, its free disk space, and its output.

use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::{Pin, pin};
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::io::AsyncWrite;
use tokio::time::Instant;
use windlass_sandbox::{Level, NewFiles, Part, ProtectedSnapshot};
use windlass_tool::{CancellationToken, Context};

use crate::launch::{Disk, Launch};
use crate::screen::Size;
use crate::stream::{Flood, Stream};
use crate::tree::{Ends, Tree};
use crate::visible::visible;

/// Maximum number of bytes of each stream that the model sees, 30,000 in sum (RULES R9). Each stream has its
/// own limit, so a flood on one does not displace the other.
const STDOUT_BYTES: usize = 20_000;
const STDERR_BYTES: usize = 10_000;
/// Interval between checks of the free disk space.
const LOOK: Duration = Duration::from_millis(250);
/// The time for which the pipes are read after the end of the command.
const DRAIN: Duration = Duration::from_secs(2);

/// The reason for the end of a command.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Exit(ExitStatus),
    TimedOut(Duration),
    /// The terminal was not used for this time.
    Idle(Duration),
    Stopped,
    /// The command left too little free disk space; the text describes how little.
    DiskFull(String),
    /// The result is unknown, for the reason in this message for the model.
    Lost(String),
}

/// The end of a command, and a warning for its result.
#[derive(Clone, Debug)]
pub(crate) struct FinishedCommand {
    pub(crate) end: End,
    pub(crate) warning: String,
}

/// Limits after which a command is stopped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bounds {
    pub(crate) limit: Option<Duration>,
    /// The time for which the terminal may stay unused.
    pub(crate) idle: Option<Duration>,
}

/// The output of a command, while it runs and afterwards.
pub(crate) struct PrintedOutput {
    pub(crate) level: Level,
    pub(crate) streams: Vec<Stream>,
    /// The time of the last read or input.
    looked: Mutex<Instant>,
}

impl PrintedOutput {
    /// Records a read or an input.
    pub(crate) fn touch(&self) {
        *self.looked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Returns the time of the last read or input.
    pub(crate) fn last_activity(&self) -> Instant {
        *self.looked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the stream of the terminal, if the command has one.
    pub(crate) fn terminal(&self) -> Option<&Stream> {
        self.streams.iter().find(|stream| stream.name == "terminal")
    }
}

/// The writer for the input of a terminal.
pub(crate) type Keyboard = Box<dyn AsyncWrite + Send + Unpin>;

/// A started command. Dropping it ends all of its processes.
pub(crate) struct RunningCommand {
    pub(crate) printed: Arc<PrintedOutput>,
    pub(crate) keyboard: Option<Keyboard>,
    pub(crate) stop: CancellationToken,
    pub(crate) work: Pin<Box<dyn Future<Output = FinishedCommand> + Send>>,
}

impl RunningCommand {
    /// Starts a launch. The command runs while `work` is polled, and is stopped when `stop` is cancelled.
    pub(crate) fn start(
        ctx: &Context,
        launch: Launch,
        bounds: Bounds,
        stop: CancellationToken,
    ) -> io::Result<Self> {
        let (level, terminal) = (launch.level, launch.terminal);
        let mut launch = launch;
        // A command without a time limit must not end because its output is too long.
        let flood = if bounds.limit.is_some() { Flood::Closed } else { Flood::Drained };
        let (disk, guarded) = (launch.disk.take(), launch.guarded.take());
        let began = SystemTime::now();
        let (tree, ends) = Tree::start(launch)?;
        let streams = streams(terminal, flood);
        let printed = Arc::new(PrintedOutput { level, streams, looked: Mutex::new(Instant::now()) });
        let Ends { output, errors, input } = ends;
        let reader = (ctx.clone(), Arc::clone(&printed));
        let reading = async move {
            let (ctx, printed) = reader;
            let both = printed.streams.iter().zip([output, errors]);
            let mut both = both.map(|(stream, pipe)| stream.read(&ctx, pipe));
            // A terminal has one stream, pipes have two.
            match (both.next(), both.next()) {
                (Some(first), Some(second)) => drop(tokio::join!(first, second)),
                (Some(only), None) => only.await,
                _ => {}
            }
        };
        let (watched, halt) = (Arc::clone(&printed), stop.clone());
        let work = Box::pin(async move {
            let end = to_its_end(tree, reading, ends_of(&watched, bounds, disk, &halt)).await;
            let warning = match guarded {
                Some((root, before)) => {
                    let look = move || warning(&root, &before) + &modes(&NewFiles::scan_since(&root, began));
                    let look = tokio::task::spawn_blocking(look).await;
                    look.unwrap_or_else(|_| UNSEEN.to_owned())
                }
                None => String::new(),
            };
            FinishedCommand { end, warning }
        });
        Ok(Self { printed, keyboard: input, stop, work })
    }
}

/// Creates the streams of a command: one for a terminal, two for pipes.
fn streams(terminal: Option<Size>, flood: Flood) -> Vec<Stream> {
    let streams = match terminal {
        Some(size) => vec![Stream::new_terminal(STDOUT_BYTES, size)],
        None => vec![Stream::new("stdout", STDOUT_BYTES), Stream::new("stderr", STDERR_BYTES)],
    };
    streams.into_iter().map(|stream| stream.with_flood(flood)).collect()
}

/// The warning for files that could not be compared, which does not mean that they are unchanged.
const UNSEEN: &str = "\n[warning: an internal error prevented the check whether files that decide what runs \
                      later have changed]";

/// Waits for the first event that stops the command from outside.
async fn ends_of(
    printed: &PrintedOutput,
    bounds: Bounds,
    disk: Option<Disk>,
    stop: &CancellationToken,
) -> End {
    let limit = async {
        match bounds.limit {
            Some(limit) => tokio::time::sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        () = stop.cancelled() => End::Stopped,
        () = limit => End::TimedOut(bounds.limit.unwrap_or_default()),
        idle = left_alone(printed, bounds.idle) => End::Idle(idle),
        left = wait_until_full(disk) => End::DiskFull(left),
    }
}

async fn to_its_end(
    mut tree: Tree,
    reading: impl Future<Output = ()>,
    ending: impl Future<Output = End>,
) -> End {
    let (mut reading, mut ending) = (pin!(reading), pin!(ending));
    let mut drained = false;
    let end = loop {
        tokio::select! {
            biased;
            end = &mut ending => break end,
            status = tree.wait() => match status {
                Ok(status) => break End::Exit(status),
                Err(error) => break End::Lost(format!("the end of the command could not be observed: \
                                                       {error}")),
            },
            () = &mut reading, if !drained => drained = true,
        }
    };
    let stopping = async {
        if !matches!(end, End::Exit(_)) {
            tree.stop().await;
        }
    };
    // A process that holds a pipe open after the end of the command gets a limited time, and is then killed
    // with the process group. The rest of the pipe's content is read afterwards.
    let draining = async { drained || tokio::time::timeout(DRAIN, &mut reading).await.is_ok() };
    let ((), drained) = tokio::join!(stopping, draining);
    tree.end();
    if !drained {
        let _ = tokio::time::timeout(DRAIN, &mut reading).await;
    }
    match tree.check_confined() {
        Ok(()) => end,
        // The command was stopped before its helper reported anything.
        Err(error) if error.part == Part::Helper && !matches!(end, End::Exit(_)) => end,
        Err(error) => End::Lost(error.to_string()),
    }
}

/// Completes when the terminal was not used for the idle time. Without an idle time it never completes.
async fn left_alone(printed: &PrintedOutput, idle: Option<Duration>) -> Duration {
    let Some(idle) = idle else { return std::future::pending().await };
    loop {
        let due = printed.last_activity() + idle;
        if Instant::now() >= due {
            return idle;
        }
        tokio::time::sleep_until(due).await;
    }
}

/// Completes when the disk has too little free space. Without a disk to check it never completes.
async fn wait_until_full(disk: Option<Disk>) -> String {
    let Some(watched) = disk else { return std::future::pending().await };
    loop {
        if let Some(left) = watched.shortage() {
            return left;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Returns a warning about the changed files that decide which code runs later, or an empty text.
fn warning(root: &Path, before: &ProtectedSnapshot) -> String {
    let changed = before.changes_since(&ProtectedSnapshot::take(root));
    let below = changed.iter().map(|path| path.strip_prefix(root).unwrap_or(path));
    let shown = list_paths(below.take(10));
    match changed.len() {
        0 => String::new(),
        number => {
            format!("\n[warning: {number} files that decide what runs later have changed: {shown}]")
        }
    }
}

/// Returns warnings about new files that give privileges to other users, and a note about new executable
/// files.
fn modes(new: &NewFiles) -> String {
    let kinds = [
        ("warning", "setuid or setgid files", new.privileged_count, &new.privileged),
        ("warning", "files that every user can write", new.world_writable_count, &new.world_writable),
        ("note", "executable files", new.program_count, &new.programs),
    ];
    let kinds = kinds.into_iter().filter(|(_, _, number, _)| *number > 0);
    let lines = kinds.map(|(kind, what, number, paths)| {
        let more = if paths.len() < number { ", ..." } else { "" };
        let shown = list_paths(paths.iter().map(AsRef::as_ref));
        format!("\n[{kind}: {number} {what} were made or changed: {shown}{more}]")
    });
    let cut = if new.is_cut { "\n[note: the workspace has too many files to see all new modes]" } else { "" };
    lines.collect::<String>() + cut
}

fn list_paths<'p>(paths: impl Iterator<Item = &'p Path>) -> String {
    let words = paths.map(|path| visible(&path.to_string_lossy()).replace('\n', "\\n"));
    words.collect::<Vec<_>>().join(", ")
}
