//! One life of a process: questions out, answers in, and a process that may write anything.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::Noise;
use super::child::{Child, hear};
use super::lines::{LINE_BYTES, Line, Lines};
use super::message::{self, Answer, Said};

/// How many lines may wait for the process to read, how many calls may be open, and how many words about progress wait
/// to be told.
const OUTBOX: usize = 64;
const OPEN_CALLS: usize = 64;
const PROGRESS: usize = 64;
/// The longest word about progress.
const PROGRESS_BYTES: usize = 4 * 1024;
/// So many lines that nobody asked for end the process.
const MOST_NOISE: u64 = 100;
/// How many questions that were taken back are remembered: an answer to one of them may be on its way.
const TAKEN_BACK: usize = 1_024;
const CHUNK_BYTES: usize = 64 * 1024;
/// How long what a process wrote last is read after its end, and how long it may take to end by itself when it has
/// closed its output.
const DRAIN: Duration = Duration::from_millis(500);

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The process ended before it was asked.
    NotSent(String),
    /// It ended before it answered.
    Gone(String),
    /// Too many wait already.
    Busy,
    TooLong {
        bytes: u64,
    },
    TimedOut,
    Cancelled,
}

pub(crate) type Reply = Result<Answer, Failure>;

/// A running process. Dropping it ends the process.
pub(crate) struct Connection {
    shared: Arc<Shared>,
    /// Over when the process and its group are gone.
    gone: CancellationToken,
    _end: DropGuard,
}

struct Shared {
    /// Who waits for an answer, or why nobody is answered any more.
    pending: Mutex<Result<BTreeMap<u64, Waiting>, String>>,
    taken_back: Mutex<BTreeSet<u64>>,
    outbox: mpsc::Sender<Outgoing>,
    over: CancellationToken,
    next: AtomicU64,
    /// How much of the noise is of this life.
    refused: AtomicU64,
    is_changed: AtomicBool,
    changed: Arc<Notify>,
    noise: Arc<Mutex<Noise>>,
}

struct Waiting {
    /// Whether the process may have read a word of it.
    is_begun: bool,
    progress: mpsc::Sender<String>,
    reply: oneshot::Sender<Reply>,
}

/// A line for the process, and the question that it asks.
struct Outgoing {
    question: Option<u64>,
    line: Vec<u8>,
}

/// A question that is open. Dropping it before the answer tells the process that nobody waits.
struct Open<'a> {
    shared: &'a Shared,
    id: u64,
}

/// What ends a life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    Dropped,
    Exited,
    Closed,
    Deaf,
    Noisy,
}

impl Connection {
    /// Takes over a process. `over` ends it, and so does its drop.
    pub(crate) fn open(
        child: Child,
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
            is_changed: AtomicBool::new(false),
            changed,
            noise,
        });
        let told = gone.clone().drop_guard();
        let watched = Arc::clone(&shared);
        tokio::spawn(async move {
            let why = watch(child, inbox, &watched).await;
            watched.close(&why);
            drop(told);
        });
        Self { shared, gone, _end: over.drop_guard() }
    }

    /// Why it is over, if it is.
    pub(crate) fn ended(&self) -> Option<String> {
        self.shared.pending().as_ref().err().cloned()
    }

    pub(crate) fn gone(&self) -> CancellationToken {
        self.gone.clone()
    }

    /// Whether the process said since the last time that its tools changed; however often, it is once.
    pub(crate) fn take_changed(&self) -> bool {
        self.shared.is_changed.swap(false, Ordering::AcqRel)
    }

    /// What was taken could not be looked at.
    pub(crate) fn put_changed(&self) {
        self.shared.is_changed.store(true, Ordering::Release);
    }

    /// Asks and waits for the answer. Dropping the future takes the question back.
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
        let mut is_sent = false;
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
                () = &mut deadline => return Err(Failure::TimedOut),
                // Where the process does not read any more, the answer says why.
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

    fn taken_back(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.taken_back.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody is answered any more: who waits hears why.
    fn close(&self, why: &str) {
        let pending = std::mem::replace(&mut *self.pending(), Err(why.to_owned()));
        for waiting in pending.into_iter().flat_map(BTreeMap::into_values) {
            // Who asked may have gone in this moment.
            let failure = if waiting.is_begun { Failure::Gone } else { Failure::NotSent };
            let _ = waiting.reply.send(Err(failure(why.to_owned())));
        }
    }

    /// Something that nobody asked for.
    fn refuse(&self, count: impl FnOnce(&mut Noise) -> &mut u64) {
        let mut noise = self.noise.lock().unwrap_or_else(PoisonError::into_inner);
        let count = count(&mut noise);
        *count = count.saturating_add(1);
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    fn is_noisy(&self) -> bool {
        self.refused.load(Ordering::Relaxed) >= MOST_NOISE
    }

    fn take(&self, line: Line<'_>) {
        match line {
            Line::Whole(line) if line.trim_ascii().is_empty() => {}
            Line::Whole(line) => match Said::read(line) {
                None => self.refuse(|noise| &mut noise.lines),
                Some(Said::Changed) => {
                    self.is_changed.store(true, Ordering::Release);
                    self.changed.notify_one();
                }
                Some(Said::Progress { id, text }) => self.progress(id, text),
                Some(Said::Answer { id, answer }) => self.answer(id, Ok(answer)),
            },
            Line::TooLong { head, bytes } => {
                self.refuse(|noise| &mut noise.too_long);
                if let Some(id) = message::id_of_head(head) {
                    self.answer(id, Err(Failure::TooLong { bytes }));
                }
            }
        }
    }

    /// An answer goes to who asked, once; all others are counted and nothing else.
    fn answer(&self, id: u64, reply: Reply) {
        let waiting = self.pending().as_mut().ok().and_then(|pending| pending.remove(&id));
        match waiting {
            // Who asked may have gone in this moment.
            Some(waiting) => drop(waiting.reply.send(reply)),
            // It answered before it read that nobody waits.
            None if self.taken_back().remove(&id) => {}
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
            None if self.taken_back().contains(&id) => {}
            None => self.refuse(|noise| &mut noise.unasked),
        }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let was_open = self.shared.pending().as_mut().is_ok_and(|pending| pending.remove(&self.id).is_some());
        if was_open {
            let mut taken_back = self.shared.taken_back();
            if taken_back.len() >= TAKEN_BACK {
                taken_back.pop_first();
            }
            taken_back.insert(self.id);
            // One that does not read is not told, and the time limit of the next call finds it.
            let _ = self.shared.outbox.try_send(Outgoing { question: None, line: message::cancel(self.id) });
        }
    }
}

/// Reads and writes until something ends this life, then ends the process. Gives back why.
async fn watch(child: Child, inbox: mpsc::Receiver<Outgoing>, shared: &Shared) -> String {
    let Child { mut group, stdin, stdout, stderr } = child;
    let last_words = Mutex::new(Vec::new());
    let (mut hearing, mut is_heard) = (std::pin::pin!(hear(stderr, &last_words)), false);
    let why = {
        let mut reading = std::pin::pin!(read(stdout, shared));
        let mut writing = std::pin::pin!(write(stdin, inbox, shared));
        let why = loop {
            tokio::select! {
                biased;
                () = shared.over.cancelled() => break Why::Dropped,
                why = &mut reading => break why,
                () = &mut writing => break Why::Deaf,
                _ = group.exit() => break Why::Exited,
                () = &mut hearing, if !is_heard => is_heard = true,
            }
        };
        // Its last answer may be in the pipe.
        match why {
            Why::Exited | Why::Deaf => match tokio::time::timeout(DRAIN, &mut reading).await {
                Ok(Why::Noisy) => Why::Noisy,
                _ => why,
            },
            _ => why,
        }
    };
    let patience = if matches!(why, Why::Closed | Why::Deaf) { DRAIN } else { Duration::ZERO };
    let status = {
        let mut ending = std::pin::pin!(group.end(patience));
        loop {
            tokio::select! {
                status = &mut ending => break status,
                () = &mut hearing, if !is_heard => is_heard = true,
            }
        }
    };
    if !is_heard {
        let _ = tokio::time::timeout(DRAIN, &mut hearing).await;
    }
    let heard = last_words.lock().unwrap_or_else(PoisonError::into_inner).clone();
    words(why, status, &heard)
}

/// Why a process ended, in words for the model.
fn words(why: Why, status: Option<ExitStatus>, heard: &[u8]) -> String {
    let how = match why {
        Why::Dropped => "this program ended it".to_owned(),
        Why::Exited => "it ended by itself".to_owned(),
        Why::Closed => "it closed its output".to_owned(),
        Why::Deaf => "it closed its input".to_owned(),
        Why::Noisy => format!("it was ended, because it wrote {MOST_NOISE} lines that nobody asked for"),
    };
    let status = status.map_or_else(String::new, |status| format!(", {status}"));
    let heard = String::from_utf8_lossy(heard);
    match heard.trim() {
        "" => format!("{how}{status}"),
        heard => format!("{how}{status}; the last that it said on stderr:\n{heard}\n"),
    }
}

async fn read(mut stdout: ChildStdout, shared: &Shared) -> Why {
    let mut lines = Lines::new(LINE_BYTES);
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(len @ 1..) = stdout.read(&mut chunk).await {
        lines.push(chunk.get(..len).unwrap_or_default(), |line| shared.take(line));
        if shared.is_noisy() {
            return Why::Noisy;
        }
    }
    Why::Closed
}

/// Ends when the process does not read any more.
async fn write(mut stdin: ChildStdin, mut inbox: mpsc::Receiver<Outgoing>, shared: &Shared) {
    while let Some(Outgoing { question, line }) = inbox.recv().await {
        if let Some(id) = question {
            match shared.pending().as_mut().ok().and_then(|pending| pending.get_mut(&id)) {
                Some(waiting) => waiting.is_begun = true,
                // It was taken back before it was asked.
                None => continue,
            }
        }
        if stdin.write_all(&line).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}
