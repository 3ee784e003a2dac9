//! A command from its start to its end: its time limits, its room on the disk, what it printed.

use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::{Pin, pin};
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::io::AsyncWrite;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use windlass_sandbox::{Guarded, Level, NewFiles, Part};
use windlass_tool::Context;

use crate::launch::{Disk, Launch};
use crate::screen::Size;
use crate::stream::{Flood, Stream};
use crate::tree::{Ends, Tree};
use crate::visible::visible;

/// How much of each stream the model is shown, together 30,000 bytes (RULES R9): a flood on one never costs
/// the other.
const STDOUT_BYTES: usize = 20_000;
const STDERR_BYTES: usize = 10_000;
/// How often is looked at what is left of the disk.
const LOOK: Duration = Duration::from_millis(250);
/// How long the pipes are read after the command's end.
const DRAIN: Duration = Duration::from_secs(2);

/// How a command came to its end.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Exit(ExitStatus),
    TimedOut(Duration),
    /// Nobody looked at its terminal for so long.
    Idle(Duration),
    Stopped,
    /// It left too little of the disk: how little, in words.
    DiskFull(String),
    /// Why nothing is known of it, in words for the model.
    Lost(String),
}

/// The end of a command, and what is to be said about it.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    pub(crate) end: End,
    pub(crate) warning: String,
}

/// When a command is ended that does not end by itself.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bounds {
    pub(crate) limit: Option<Duration>,
    /// How long its terminal may be left alone.
    pub(crate) idle: Option<Duration>,
}

/// What a command printed, whether it runs or not.
pub(crate) struct Printed {
    pub(crate) level: Level,
    pub(crate) streams: Vec<Stream>,
    /// When somebody looked last.
    looked: Mutex<Instant>,
}

impl Printed {
    /// Somebody looks, or types.
    pub(crate) fn touch(&self) {
        *self.looked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// When somebody looked last.
    pub(crate) fn touched(&self) -> Instant {
        *self.looked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The terminal, where the command has one.
    pub(crate) fn terminal(&self) -> Option<&Stream> {
        self.streams.iter().find(|stream| stream.name == "terminal")
    }
}

/// The keyboard of a terminal.
pub(crate) type Keyboard = Box<dyn AsyncWrite + Send + Unpin>;

/// A command that was started. Dropping it ends all of its processes.
pub(crate) struct Running {
    pub(crate) printed: Arc<Printed>,
    pub(crate) keyboard: Option<Keyboard>,
    pub(crate) stop: CancellationToken,
    pub(crate) work: Pin<Box<dyn Future<Output = Finished> + Send>>,
}

impl Running {
    /// Starts what was launched. It goes on while `work` is polled, and ends when `stop` says so.
    pub(crate) fn start(
        ctx: &Context,
        launch: Launch,
        bounds: Bounds,
        stop: CancellationToken,
    ) -> io::Result<Self> {
        let (level, terminal) = (launch.level, launch.terminal);
        let mut launch = launch;
        // Nothing ends a command without a time limit when its output is too long.
        let flood = if bounds.limit.is_some() { Flood::Closed } else { Flood::Drained };
        let (disk, guarded) = (launch.disk.take(), launch.guarded.take());
        let began = SystemTime::now();
        let (tree, ends) = Tree::start(launch)?;
        let streams = streams(terminal, flood);
        let printed = Arc::new(Printed { level, streams, looked: Mutex::new(Instant::now()) });
        let Ends { output, errors, input } = ends;
        let reader = (ctx.clone(), Arc::clone(&printed));
        let reading = async move {
            let (ctx, printed) = reader;
            let both = printed.streams.iter().zip([output, errors]);
            let mut both = both.map(|(stream, pipe)| stream.read(&ctx, pipe));
            // One of a terminal, two of pipes.
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
                    let look = move || warning(&root, &before) + &modes(&NewFiles::since(&root, began));
                    let look = tokio::task::spawn_blocking(look).await;
                    look.unwrap_or_else(|_| UNSEEN.to_owned())
                }
                None => String::new(),
            };
            Finished { end, warning }
        });
        Ok(Self { printed, keyboard: input, stop, work })
    }
}

/// The streams of a command: one of a terminal, two of pipes.
fn streams(terminal: Option<Size>, flood: Flood) -> Vec<Stream> {
    let streams = match terminal {
        Some(size) => vec![Stream::of_terminal(STDOUT_BYTES, size)],
        None => vec![Stream::new("stdout", STDOUT_BYTES), Stream::new("stderr", STDERR_BYTES)],
    };
    streams.into_iter().map(|stream| stream.with_flood(flood)).collect()
}

/// The warning where the files could not be compared, which is not the same as no change.
const UNSEEN: &str = "\n[warning: whether files that decide what runs later have changed could not be seen: an internal error]";

/// Waits for what ends a command that does not end by itself.
async fn ends_of(printed: &Printed, bounds: Bounds, disk: Option<Disk>, stop: &CancellationToken) -> End {
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
        left = filled(disk) => End::DiskFull(left),
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
                Err(error) => break End::Lost(format!("the command's end could not be seen: {error}")),
            },
            () = &mut reading, if !drained => drained = true,
        }
    };
    let stopping = async {
        if !matches!(end, End::Exit(_)) {
            tree.stop().await;
        }
    };
    // Who holds a pipe open after the command's end gets a bounded time, then is killed with the group, and
    // what is then still in the pipe is read.
    let draining = async { drained || tokio::time::timeout(DRAIN, &mut reading).await.is_ok() };
    let ((), drained) = tokio::join!(stopping, draining);
    tree.end();
    if !drained {
        let _ = tokio::time::timeout(DRAIN, &mut reading).await;
    }
    match tree.confined() {
        Ok(()) => end,
        // It was stopped before its helper had said a word.
        Err(error) if error.part == Part::Helper && !matches!(end, End::Exit(_)) => end,
        Err(error) => End::Lost(error.to_string()),
    }
}

/// Ends when nobody looked for so long; never where that does not matter.
async fn left_alone(printed: &Printed, idle: Option<Duration>) -> Duration {
    let Some(idle) = idle else { return std::future::pending().await };
    loop {
        let due = printed.touched() + idle;
        if Instant::now() >= due {
            return idle;
        }
        tokio::time::sleep_until(due).await;
    }
}

/// Ends when a disk is too full; never where none is watched.
async fn filled(disk: Option<Disk>) -> String {
    let Some(watched) = disk else { return std::future::pending().await };
    loop {
        if let Some(left) = watched.shortage() {
            return left;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Says which files that decide what runs later are others than before.
fn warning(root: &Path, before: &Guarded) -> String {
    let changed = before.changed(&Guarded::of(root));
    let below = changed.iter().map(|path| path.strip_prefix(root).unwrap_or(path));
    let shown = listed(below.take(10));
    match changed.len() {
        0 => String::new(),
        number => {
            format!("\n[warning: {number} files that decide what runs later have changed: {shown}]")
        }
    }
}

/// Says which new files give privileges to other users, and which ones can be executed.
fn modes(new: &NewFiles) -> String {
    let kinds = [
        ("warning", "setuid or setgid files", new.privileged_count, &new.privileged),
        ("warning", "files that every user can write", new.world_writable_count, &new.world_writable),
        ("note", "executable files", new.program_count, &new.programs),
    ];
    let kinds = kinds.into_iter().filter(|(_, _, number, _)| *number > 0);
    let lines = kinds.map(|(kind, what, number, paths)| {
        let more = if paths.len() < number { ", ..." } else { "" };
        let shown = listed(paths.iter().map(AsRef::as_ref));
        format!("\n[{kind}: {number} {what} were made or changed: {shown}{more}]")
    });
    let cut = if new.is_cut { "\n[note: the workspace has too many files to see all new modes]" } else { "" };
    lines.collect::<String>() + cut
}

fn listed<'p>(paths: impl Iterator<Item = &'p Path>) -> String {
    let words = paths.map(|path| visible(&path.to_string_lossy()).replace('\n', "\\n"));
    words.collect::<Vec<_>>().join(", ")
}
