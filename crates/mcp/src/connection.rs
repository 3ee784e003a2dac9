//! One life of a connection: requests out, answers in, and a server that may write anything.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::Noise;
use crate::Pipes;
use crate::ask::Asks;
use crate::failure::Failure;
use crate::frames::{Frame, Frames};
use crate::message::{self, Message};

/// How many messages may wait for the server to read.
const OUTBOX: usize = 64;
const CHUNK_BYTES: usize = 64 * 1024;

type Reply = Result<Box<RawValue>, Failure>;

/// A connection. Dropping it ends its tasks and lets go of what it holds.
pub(crate) struct Connection {
    shared: Arc<Shared>,
    _end: DropGuard,
    _held: Box<dyn Any + Send + Sync>,
}

struct Shared {
    /// Who waits for an answer; nothing when the connection is over.
    pending: Mutex<Option<BTreeMap<u64, oneshot::Sender<Reply>>>>,
    outbox: mpsc::Sender<Vec<u8>>,
    over: CancellationToken,
    next: AtomicU64,
    list_changed: AtomicBool,
    asks: Asks,
    noise: Arc<Mutex<Noise>>,
}

/// A request that is open. Dropping it before the answer tells the server that nobody waits.
struct Open<'a> {
    shared: &'a Shared,
    id: u64,
}

impl Connection {
    pub(crate) fn open(pipes: Pipes, asks: Asks, frame_bytes: usize, noise: Arc<Mutex<Noise>>) -> Self {
        let (outbox, inbox) = mpsc::channel(OUTBOX);
        let over = CancellationToken::new();
        let shared = Arc::new(Shared {
            pending: Mutex::new(Some(BTreeMap::new())),
            outbox,
            over: over.clone(),
            next: AtomicU64::new(1),
            list_changed: AtomicBool::new(false),
            asks,
            noise,
        });
        let reading = shared.clone();
        tokio::spawn(async move {
            let over = reading.over.clone();
            tokio::select! {
                () = read(pipes.reader, frame_bytes, &reading) => {}
                () = over.cancelled() => {}
            }
            reading.close();
        });
        let writing = shared.clone();
        tokio::spawn(async move {
            let over = writing.over.clone();
            tokio::select! {
                () = write(pipes.writer, inbox) => {}
                () = over.cancelled() => {}
            }
            writing.close();
        });
        Self { shared, _end: over.drop_guard(), _held: pipes.held }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.shared.over.is_cancelled()
    }

    /// Whether the server said since the last time that its tools changed; however often, it is once (fault F67).
    pub(crate) fn take_list_changed(&self) -> bool {
        self.shared.list_changed.swap(false, Ordering::AcqRel)
    }

    /// What was taken could not be looked at.
    pub(crate) fn put_list_changed(&self) {
        self.shared.list_changed.store(true, Ordering::Release);
    }

    /// Asks and waits for the answer. Dropping the future takes the question back.
    pub(crate) async fn request(
        &self,
        method: &str,
        params: &RawValue,
        limit: Duration,
        stop: &CancellationToken,
    ) -> Reply {
        let (shared, id) = (&*self.shared, self.shared.next.fetch_add(1, Ordering::Relaxed));
        let (reply, mut answer) = oneshot::channel();
        match shared.pending().as_mut() {
            Some(pending) => pending.insert(id, reply),
            None => return Err(Failure::NotSent),
        };
        let _open = Open { shared, id };
        let mut is_sent = false;
        let mut deadline = std::pin::pin!(tokio::time::sleep(limit));
        let mut sending = std::pin::pin!(shared.outbox.send(message::request(id, method, params)));
        loop {
            tokio::select! {
                biased;
                reply = &mut answer => return reply.unwrap_or(Err(Failure::Gone)),
                () = stop.cancelled() => return Err(Failure::Cancelled),
                sent = &mut sending, if !is_sent => match sent {
                    Ok(()) => is_sent = true,
                    Err(_) => return Err(Failure::NotSent),
                },
                // A human who is asked by the server has her own clock (RULES M2).
                () = &mut deadline => if shared.asks.is_asking() {
                    deadline.set(tokio::time::sleep(limit));
                } else {
                    return Err(Failure::TimedOut(limit));
                },
            }
        }
    }

    pub(crate) fn notify(&self, method: &str) {
        self.shared.say(message::notification(method, &json!({})));
    }
}

impl Shared {
    fn pending(&self) -> MutexGuard<'_, Option<BTreeMap<u64, oneshot::Sender<Reply>>>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn noise(&self) -> MutexGuard<'_, Noise> {
        self.noise.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody is answered any more: who waits hears it.
    fn close(&self) {
        self.over.cancel();
        self.pending().take();
    }

    /// Says something if the server listens; one that asks and never reads gets nothing.
    fn say(&self, line: Vec<u8>) {
        if self.outbox.try_send(line).is_err() {
            self.noise().refused += 1;
        }
    }

    fn take(self: &Arc<Self>, frame: Frame<'_>) {
        match frame {
            Frame::Line(line) => match Message::read(line) {
                None => self.noise().lines += 1,
                Some(Message::Answer { id, outcome }) => {
                    self.answer(id, outcome.map(ToOwned::to_owned).map_err(Failure::Server));
                }
                Some(Message::Request { id, method, params }) => self.asked(id, &method, params),
                Some(Message::Notification { method }) => {
                    if method == "notifications/tools/list_changed" {
                        self.list_changed.store(true, Ordering::Release);
                        self.noise().list_changes += 1;
                    }
                }
            },
            Frame::TooLong { id, bytes, head } => {
                self.noise().too_long += 1;
                if id.is_some() {
                    let head = String::from_utf8_lossy(head).into_owned();
                    self.answer(id, Err(Failure::TooLong { bytes, head }));
                }
            }
        }
    }

    /// An answer goes to who asked, once; all others are counted and nothing else (case MCP-019).
    fn answer(&self, id: Option<u64>, reply: Reply) {
        let waiting = id.and_then(|id| self.pending().as_mut()?.remove(&id));
        match waiting {
            // Who asked may have gone in this moment.
            Some(waiting) => drop(waiting.send(reply)),
            None => self.noise().unasked += 1,
        }
    }

    fn asked(self: &Arc<Self>, id: &RawValue, method: &str, params: Option<&RawValue>) {
        if method == "ping" {
            return self.say(message::answer(id, &json!({})));
        }
        let asking = (method == "elicitation/create").then(|| self.asks.begin(params)).flatten();
        let Some(asking) = asking else {
            self.noise().refused += 1;
            return self.say(message::refusal(id, message::NO_METHOD, "this client does not offer that"));
        };
        let (shared, id) = (self.clone(), id.to_owned());
        tokio::spawn(async move {
            let over = shared.over.clone();
            tokio::select! {
                answer = asking.answer() => shared.say(message::answer(&id, &answer)),
                () = over.cancelled() => {}
            }
        });
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let was_open =
            self.shared.pending().as_mut().is_some_and(|pending| pending.remove(&self.id).is_some());
        if was_open {
            let params: Value =
                json!({"requestId": self.id, "reason": "nobody waits for the answer any more"});
            self.shared.say(message::notification("notifications/cancelled", &params));
        }
    }
}

async fn read(mut reader: Box<dyn AsyncRead + Send + Unpin>, frame_bytes: usize, shared: &Arc<Shared>) {
    let mut frames = Frames::new(frame_bytes);
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(len @ 1..) = reader.read(&mut chunk).await {
        frames.push(chunk.get(..len).unwrap_or_default(), &mut |frame| shared.take(frame));
    }
    if frames.has_half() {
        shared.noise().lines += 1;
    }
}

async fn write(mut writer: Box<dyn AsyncWrite + Send + Unpin>, mut inbox: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = inbox.recv().await {
        if writer.write_all(&line).await.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
}
