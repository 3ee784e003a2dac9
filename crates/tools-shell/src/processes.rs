//! Processes that outlive the call that started them: background commands and terminals of a run, in limited
//! number.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;
use windlass_tool::{CancellationToken, Context, ToolError};

use crate::running::{FinishedCommand, Keyboard, PrintedOutput, RunningCommand};

/// The number of ended processes whose output can still be read.
const REMEMBERED: usize = 64;

/// Limits on processes that outlive their call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessBounds {
    /// Maximum number of background commands at a time (default 16).
    pub background: usize,
    /// Maximum number of terminals at a time (default 8).
    pub terminals: usize,
    /// The time without a read or an input after which a terminal is closed (default 30 minutes).
    pub idle: Duration,
}

impl Default for ProcessBounds {
    fn default() -> Self {
        Self { background: 16, terminals: 8, idle: Duration::from_mins(30) }
    }
}

impl ProcessBounds {
    /// Sets the maximum numbers of background commands and of terminals.
    pub fn with_most(mut self, background: usize, terminals: usize) -> Self {
        (self.background, self.terminals) = (background, terminals);
        self
    }

    /// Sets the time after which an unused terminal is closed.
    pub fn with_idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self
    }
}

/// The processes of a run that outlive their call. The tools of a run share clones of one value.
///
/// When the last clone is dropped, every process gets SIGTERM and, two seconds later, SIGKILL together with
/// all its children. If the async runtime shuts down earlier, they are killed at once. The cancellation of a
/// call also ends the processes that this call left in the background.
///
/// ```
/// use windlass_tools_shell::{ProcessBounds, Processes};
///
/// let processes = Processes::new(ProcessBounds::default().with_most(4, 2));
/// assert_eq!(processes.running(), 0);
/// ```
#[derive(Clone)]
pub struct Processes(Arc<Inner>);

struct Inner {
    bounds: ProcessBounds,
    known: Mutex<KnownProcesses>,
    all: CancellationToken,
    background: Arc<Semaphore>,
    terminals: Arc<Semaphore>,
}

#[derive(Default)]
struct KnownProcesses {
    last: u64,
    jobs: BTreeMap<u64, Arc<Job>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.all.cancel();
    }
}

/// A process that outlived its call.
pub(crate) struct Job {
    pub(crate) id: u64,
    pub(crate) command: String,
    pub(crate) began: Instant,
    pub(crate) printed: Arc<PrintedOutput>,
    /// `None` after the end of the process, because the writer keeps the terminal open.
    pub(crate) keyboard: Arc<tokio::sync::Mutex<Option<Keyboard>>>,
    pub(crate) stop: CancellationToken,
    ended: watch::Receiver<Option<FinishedCommand>>,
}

impl Job {
    /// Returns whether the process has a terminal.
    pub(crate) fn is_session(&self) -> bool {
        self.printed.terminal().is_some()
    }

    /// Returns the result of the process, or `None` while it runs.
    pub(crate) fn result(&self) -> Option<FinishedCommand> {
        self.ended.borrow().clone()
    }

    /// Waits for the end of the process.
    pub(crate) async fn end(&self) -> Option<FinishedCommand> {
        let mut ended = self.ended.clone();
        // An error means that the runtime is shutting down, which ends the process as well.
        ended.wait_for(Option::is_some).await.ok().and_then(|end| end.clone())
    }

    /// Waits for the end of the process, at most for `time`.
    pub(crate) async fn end_within(&self, time: Duration) -> Option<FinishedCommand> {
        tokio::time::timeout(time, self.end()).await.ok().flatten()
    }
}

/// The kind of a process, with its own limit on the number of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Background,
    Terminal,
}

/// A permit for one more process that outlives its call.
pub(crate) struct Slot(
    #[expect(dead_code, reason = "it is given back when it is dropped")] OwnedSemaphorePermit,
);

impl Default for Processes {
    fn default() -> Self {
        Self::new(ProcessBounds::default())
    }
}

impl fmt::Debug for Processes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Processes").field("running", &self.running()).finish_non_exhaustive()
    }
}

impl Processes {
    /// Creates an empty set of processes with the given limits.
    pub fn new(bounds: ProcessBounds) -> Self {
        Self(Arc::new(Inner {
            bounds,
            known: Mutex::default(),
            all: CancellationToken::new(),
            background: Arc::new(Semaphore::new(bounds.background)),
            terminals: Arc::new(Semaphore::new(bounds.terminals)),
        }))
    }

    /// Returns the number of processes that run now.
    pub fn running(&self) -> usize {
        self.lock_known().jobs.values().filter(|job| job.result().is_none()).count()
    }

    /// Ends all processes and waits until they have ended: SIGTERM, two seconds, SIGKILL. Later calls can
    /// start new processes.
    ///
    /// Cancel-safe: after the first poll, the processes end even if the future is dropped.
    pub async fn end(&self) {
        let jobs = self.jobs();
        for job in &jobs {
            job.stop.cancel();
        }
        for job in jobs {
            job.end().await;
        }
    }

    pub(crate) fn bounds(&self) -> ProcessBounds {
        self.0.bounds
    }

    fn lock_known(&self) -> MutexGuard<'_, KnownProcesses> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a token that stops one process, and that is cancelled when the set is dropped.
    pub(crate) fn stop_token(&self) -> CancellationToken {
        self.0.all.child_token()
    }

    pub(crate) fn jobs(&self) -> Vec<Arc<Job>> {
        self.lock_known().jobs.values().cloned().collect()
    }

    /// Acquires a permit for one more process, before the process is started.
    pub(crate) fn slot(&self, kind: Kind) -> Result<Slot, ToolError> {
        let is_terminal = kind == Kind::Terminal;
        let (places, words, close) = match kind {
            Kind::Background => (&self.0.background, "background commands run", "kill_command"),
            Kind::Terminal => (&self.0.terminals, "terminals are open", "close_pty_session"),
        };
        Arc::clone(places).try_acquire_owned().map(Slot).map_err(|_| {
            let jobs = self.jobs().into_iter();
            let jobs = jobs.filter(|job| job.result().is_none() && job.is_session() == is_terminal);
            let ids: Vec<_> = jobs.map(|job| format!("{} `{}`", job.id, short(&job.command))).collect();
            let (most, ids) = (ids.len(), ids.join(", "));
            ToolError::model(format!("nothing was run: {most} {words} already ({ids})"))
                .with_advice(format!("End one with {close} before you start another."))
        })
    }

    /// Takes over a process from the call that started it.
    pub(crate) fn adopt(
        &self,
        ctx: &Context,
        running: RunningCommand,
        slot: Slot,
        command: String,
    ) -> Arc<Job> {
        let RunningCommand { printed, keyboard, stop, work } = running;
        for stream in &printed.streams {
            stream.hush();
        }
        let (sender, ended) = watch::channel(None);
        let (call, halt) = (ctx.cancellation().clone(), stop.clone());
        let keyboard = Arc::new(tokio::sync::Mutex::new(keyboard));
        let typed = Arc::clone(&keyboard);
        // The task ends by the token, which dropping this value cancels, so it is never joined.
        tokio::spawn(async move {
            let mut work = work;
            let finished = tokio::select! {
                biased;
                finished = &mut work => finished,
                () = call.cancelled() => {
                    halt.cancel();
                    (&mut work).await
                }
            };
            // Frees the permit and closes the terminal before the end is announced.
            drop((slot, work));
            drop(typed.lock().await.take());
            sender.send_replace(Some(finished));
        });
        let mut known = self.lock_known();
        known.last = known.last.saturating_add(1);
        let id = known.last;
        let began = Instant::now();
        let job = Arc::new(Job { id, command, began, printed, keyboard, stop, ended });
        known.jobs.insert(id, Arc::clone(&job));
        known.forget();
        job
    }

    /// Returns the process with this id.
    pub(crate) fn job(&self, id: u64) -> Result<Arc<Job>, ToolError> {
        let known = self.lock_known();
        known.jobs.get(&id).cloned().ok_or_else(|| {
            let ids: Vec<_> = known.jobs.keys().map(u64::to_string).collect();
            let there = if ids.is_empty() { "none was started".to_owned() } else { ids.join(", ") };
            ToolError::model(format!("no background command or session has the id {id}; known ids: {there}"))
        })
    }
}

impl KnownProcesses {
    /// Forgets the oldest ended processes above the limit.
    fn forget(&mut self) {
        let ended: Vec<u64> =
            self.jobs.values().filter(|job| job.result().is_some()).map(|job| job.id).collect();
        let over = ended.len().saturating_sub(REMEMBERED);
        for id in ended.into_iter().take(over) {
            self.jobs.remove(&id);
        }
    }
}

/// Returns the first line of a command, cut after 60 characters.
pub(crate) fn short(command: &str) -> String {
    let line = command.lines().next().unwrap_or_default();
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None if command.lines().count() > 1 => format!("{line} …"),
        None => line.to_owned(),
    }
}
