//! Connection to a running process: requests, answers, and protection against arbitrary output.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, mpsc, oneshot};
use windlass_tool::{CancellationToken, DropGuard};

use super::Noise;
use super::child::{Service, ServiceEnds};
use super::lines::Line;
use super::message::{self, Answer, ProcessMessage};
use super::watch::{Outgoing, watch};

/// Maximum numbers of lines that wait to be written, of open calls, and of progress messages of a call that
/// wait to be reported.
const OUTBOX: usize = 64;
const OPEN_CALLS: usize = 64;
const PROGRESS: usize = 64;
/// Maximum size of a progress message, in bytes.
const PROGRESS_BYTES: usize = 4 * 1024;
/// Number of unexpected lines that ends the process.
pub(super) const MOST_NOISE: u64 = 100;
/// Maximum number of cancelled requests that are remembered, because their answers may still arrive.
const TAKEN_BACK: usize = 1_024;
/// Number of consecutive calls that time out without any output of the process, after which it is considered
/// hung.
const MOST_SILENCES: u64 = 2;

/// Reason why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The process ended before the request was written.
    NotSent(String),
    /// The process ended before it answered.
    Gone(String),
    /// Too many requests are open.
    Busy,
    TooLong {
        bytes: u64,
    },
    TimedOut,
    Cancelled,
}

pub(crate) type Reply = Result<Answer, Failure>;

/// Connection to a running process. Dropping it ends the process.
pub(crate) struct Connection {
    shared: Arc<Shared>,
    /// Cancelled when the process and its process group have ended.
    gone: CancellationToken,
    _end: DropGuard,
}

/// State that a connection shares with the task that watches its process.
pub(super) struct Shared {
    /// Open requests, or the reason why the connection has ended.
    pending: Mutex<Result<BTreeMap<u64, Waiting>, String>>,
    taken_back: Mutex<BTreeSet<u64>>,
    outbox: mpsc::Sender<Outgoing>,
    pub(super) over: CancellationToken,
    next: AtomicU64,
    /// Number of unexpected lines on this connection.
    refused: AtomicU64,
    /// Number of received lines, and of consecutive timeouts without output.
    heard: AtomicU64,
    silences: AtomicU64,
    pub(super) hung: CancellationToken,
    is_changed: AtomicBool,
    changed: Arc<Notify>,
    noise: Arc<Mutex<Noise>>,
}

pub(super) struct Waiting {
    /// True if the process may have read a part of the request.
    is_begun: bool,
    progress: mpsc::Sender<String>,
    reply: oneshot::Sender<Reply>,
}

/// An open request. Dropping it before the answer sends a cancellation to the process.
struct Open<'a> {
    shared: &'a Shared,
    id: u64,
}

impl Connection {
    /// Connects to a process. Cancelling `over` or dropping the connection ends the process.
    pub(crate) fn open(
        service: Service,
        ends: ServiceEnds,
        over: CancellationToken,
        changed: Arc<Notify>,
        noise: Arc<Mutex<Noise>>,
    ) -> Self {
        let (outbox, inbox) = mpsc::channel(OUTBOX);
        let gone = CancellationToken::new();
        let shared = Arc::new(Shared {
            pending: Mutex::new(Ok(BTreeMap::new())),
            taken_back: Mutex::default(),
            outbox,
            over: over.clone(),
            next: AtomicU64::new(1),
            refused: AtomicU64::new(0),
            heard: AtomicU64::new(0),
            silences: AtomicU64::new(0),
            hung: CancellationToken::new(),
            is_changed: AtomicBool::new(false),
            changed,
            noise,
        });
        let told = gone.clone().drop_guard();
        let watched = Arc::clone(&shared);
        tokio::spawn(async move {
            let why = watch(service, ends, inbox, &watched).await;
            watched.close(&why);
            drop(told);
        });
        Self { shared, gone, _end: over.drop_guard() }
    }

    /// Returns the reason why the connection has ended, if it has.
    pub(crate) fn end_reason(&self) -> Option<String> {
        self.shared.pending().as_ref().err().cloned()
    }

    pub(crate) fn end_token(&self) -> CancellationToken {
        self.gone.clone()
    }

    /// Returns true if the process has reported a change of its tools since the last call, and clears the
    /// flag.
    pub(crate) fn take_changed(&self) -> bool {
        self.shared.is_changed.swap(false, Ordering::AcqRel)
    }

    /// Sets the flag again after a failed request for the list.
    pub(crate) fn put_changed(&self) {
        self.shared.is_changed.store(true, Ordering::Release);
    }

    /// Sends a request and waits for the answer. Dropping the future cancels the request.
    pub(crate) async fn ask(
        &self,
        line: impl FnOnce(u64) -> Vec<u8>,
        limit: Duration,
        stop: &CancellationToken,
        tell: impl Fn(String),
    ) -> Reply {
        let (shared, id) = (&*self.shared, self.shared.next.fetch_add(1, Ordering::Relaxed));
        let (reply, mut answer) = oneshot::channel();
        let (progress, mut told) = mpsc::channel(PROGRESS);
        match shared.pending().as_mut() {
            Ok(pending) if pending.len() >= OPEN_CALLS => return Err(Failure::Busy),
            Ok(pending) => drop(pending.insert(id, Waiting { is_begun: false, progress, reply })),
            Err(why) => return Err(Failure::NotSent(why.clone())),
        }
        let _open = Open { shared, id };
        let (mut is_sent, heard) = (false, shared.heard.load(Ordering::Relaxed));
        let mut deadline = std::pin::pin!(tokio::time::sleep(limit));
        let mut sending = std::pin::pin!(shared.outbox.send(Outgoing { question: Some(id), line: line(id) }));
        loop {
            tokio::select! {
                biased;
                reply = &mut answer => {
                    while let Ok(text) = told.try_recv() {
                        tell(text);
                    }
                    let ends = || Err(Failure::Gone("the program that reads it ends".to_owned()));
                    return reply.unwrap_or_else(|_| ends());
                }
                () = stop.cancelled() => return Err(Failure::Cancelled),
                () = &mut deadline => {
                    shared.handle_timeout(heard);
                    return Err(Failure::TimedOut);
                }
                // Ignore the error: if the process does not read any more, `answer` receives the reason.
                _ = &mut sending, if !is_sent => is_sent = true,
                Some(text) = told.recv() => tell(text),
            }
        }
    }
}

impl Shared {
    fn pending(&self) -> MutexGuard<'_, Result<BTreeMap<u64, Waiting>, String>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_cancelled(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.taken_back.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the connection and fails all open requests with the reason.
    fn close(&self, why: &str) {
        let pending = std::mem::replace(&mut *self.pending(), Err(why.to_owned()));
        for waiting in pending.into_iter().flat_map(BTreeMap::into_values) {
            // The caller may have dropped the receiver meanwhile.
            let failure = if waiting.is_begun { Failure::Gone } else { Failure::NotSent };
            let _ = waiting.reply.send(Err(failure(why.to_owned())));
        }
    }

    /// Marks a request as written. Returns `None` if it was cancelled meanwhile.
    pub(super) fn begin(&self, id: u64) -> Option<()> {
        self.pending().as_mut().ok()?.get_mut(&id)?.is_begun = true;
        Some(())
    }

    /// Counts an unexpected line.
    fn refuse(&self, count: impl FnOnce(&mut Noise) -> &mut u64) {
        let mut noise = self.noise.lock().unwrap_or_else(PoisonError::into_inner);
        let count = count(&mut noise);
        *count = count.saturating_add(1);
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn is_noisy(&self) -> bool {
        self.refused.load(Ordering::Relaxed) >= MOST_NOISE
    }

    /// Handles a timeout. The process is considered hung after several timeouts without any output; a single
    /// one may be due to the call.
    fn handle_timeout(&self, heard: u64) {
        let is_silent = self.heard.load(Ordering::Relaxed) == heard;
        if is_silent && self.silences.fetch_add(1, Ordering::Relaxed).saturating_add(1) >= MOST_SILENCES {
            self.hung.cancel();
        }
    }

    pub(super) fn take(&self, line: Line<'_>) {
        self.heard.fetch_add(1, Ordering::Relaxed);
        self.silences.store(0, Ordering::Relaxed);
        match line {
            Line::Whole(line) if line.trim_ascii().is_empty() => {}
            Line::Whole(line) => match ProcessMessage::read(line) {
                None => self.refuse(|noise| &mut noise.lines),
                Some(ProcessMessage::Changed) => {
                    self.is_changed.store(true, Ordering::Release);
                    self.changed.notify_one();
                }
                Some(ProcessMessage::Progress { id, text }) => self.progress(id, text),
                Some(ProcessMessage::Answer { id, answer }) => self.answer(id, Ok(answer)),
            },
            Line::TooLong { head, bytes } => {
                self.refuse(|noise| &mut noise.too_long);
                if let Some(id) = message::id_of_head(head) {
                    self.answer(id, Err(Failure::TooLong { bytes }));
                }
            }
        }
    }

    /// Delivers an answer to its request. Answers to no open request are only counted.
    fn answer(&self, id: u64, reply: Reply) {
        let waiting = self.pending().as_mut().ok().and_then(|pending| pending.remove(&id));
        match waiting {
            // The caller may have dropped the receiver meanwhile.
            Some(waiting) => drop(waiting.reply.send(reply)),
            // A late reply: the process answered before it read the cancellation.
            None if self.lock_cancelled().remove(&id) => {}
            None => self.refuse(|noise| &mut noise.unasked),
        }
    }

    fn progress(&self, id: u64, mut text: String) {
        let sender =
            self.pending().as_ref().ok().and_then(|pending| Some(pending.get(&id)?.progress.clone()));
        match sender {
            Some(sender) => {
                text.truncate(text.floor_char_boundary(PROGRESS_BYTES));
                if sender.try_send(text).is_err() {
                    let mut noise = self.noise.lock().unwrap_or_else(PoisonError::into_inner);
                    noise.progress_lost = noise.progress_lost.saturating_add(1);
                }
            }
            None if self.lock_cancelled().contains(&id) => {}
            None => self.refuse(|noise| &mut noise.unasked),
        }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let open = self.shared.pending().as_mut().ok().and_then(|pending| pending.remove(&self.id));
        // Send no cancellation for a request that was not written; it will not be.
        if open.is_some_and(|waiting| waiting.is_begun) {
            let mut taken_back = self.shared.lock_cancelled();
            if taken_back.len() >= TAKEN_BACK {
                taken_back.pop_first();
            }
            taken_back.insert(self.id);
            // Ignore the error: if the process does not read, the next call times out.
            let _ = self.shared.outbox.try_send(Outgoing { question: None, line: message::cancel(self.id) });
        }
    }
}
