//! The requests that are open on a connection, and who waits for the answer of each.
//!
//! The engine (`rmcp`) numbers requests and pairs answers with them, in values of its own. What a server answers to a
//! request of this crate is wanted as the server wrote it: definitions are pinned by their text, numbers keep their
//! digits, and nothing is built of what is too long or too deep. So the text goes from here to who asked, and the
//! engine is told that there was an answer.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ClientJsonRpcMessage, GetExtensions, GetMeta, NumberOrString};
use serde_json::value::RawValue;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::Noise;
use crate::failure::Failure;

pub(crate) type Reply = Result<Box<RawValue>, Failure>;

/// How many words about progress may wait for who asked.
const PROGRESS: usize = 16;

/// What a request of this crate carries on its way through the engine; nothing of it is sent.
#[derive(Clone)]
pub(crate) struct Ticket(Arc<Waiting>);

struct Waiting {
    reply: Mutex<Option<oneshot::Sender<Reply>>>,
    progress: mpsc::Sender<String>,
    is_sent: AtomicBool,
    arguments: Option<Box<RawValue>>,
}

/// What comes back to who holds the other half of a ticket.
pub(crate) struct Returns {
    pub(crate) reply: oneshot::Receiver<Reply>,
    pub(crate) progress: mpsc::Receiver<String>,
}

/// Who waited for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    Nobody,
    Engine,
    Caller,
}

struct Open {
    /// Nothing for a request of the engine itself.
    ticket: Option<Ticket>,
    token: Option<NumberOrString>,
}

pub(crate) struct Ledger {
    /// Nothing when the connection is over.
    open: Mutex<Option<BTreeMap<u64, Open>>>,
    over: CancellationToken,
    is_greeted: AtomicBool,
    list_changed: AtomicBool,
    noise: Arc<Mutex<Noise>>,
    /// Somebody who looks after the server hears that something about it is new.
    changed: Arc<Notify>,
}

impl Ticket {
    /// A ticket, and where its answer comes. The arguments go out as the text that they are.
    pub(crate) fn new(arguments: Option<Box<RawValue>>) -> (Self, Returns) {
        let (reply, answer) = oneshot::channel();
        let (progress, told) = mpsc::channel(PROGRESS);
        let waiting =
            Waiting { reply: Mutex::new(Some(reply)), progress, is_sent: AtomicBool::new(false), arguments };
        (Self(Arc::new(waiting)), Returns { reply: answer, progress: told })
    }

    /// Whether the request may have reached the server.
    pub(crate) fn is_sent(&self) -> bool {
        self.0.is_sent.load(Ordering::Acquire)
    }

    /// Nobody waits any more: an answer is one that nobody asked for.
    pub(crate) fn give_up(&self) {
        self.0.reply.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn is_given_up(&self) -> bool {
        self.0.reply.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    pub(crate) fn arguments(&self) -> Option<&RawValue> {
        self.0.arguments.as_deref()
    }

    fn answer(&self, reply: Reply) {
        if let Some(waiting) = self.0.reply.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // Who asked may have gone in this moment.
            drop(waiting.send(reply));
        }
    }
}

impl Ledger {
    pub(crate) fn new(noise: Arc<Mutex<Noise>>, changed: Arc<Notify>) -> Self {
        Self {
            open: Mutex::new(Some(BTreeMap::new())),
            over: CancellationToken::new(),
            is_greeted: AtomicBool::new(false),
            list_changed: AtomicBool::new(false),
            noise,
            changed,
        }
    }

    /// Notes a request that goes out now.
    pub(crate) fn note(&self, message: &ClientJsonRpcMessage) {
        let ClientJsonRpcMessage::Request(request) = message else { return };
        let Some(id) = number(&request.id) else { return };
        let ticket = request.request.extensions().get::<Ticket>().cloned();
        if let Some(ticket) = &ticket {
            ticket.0.is_sent.store(true, Ordering::Release);
        }
        if ticket.as_ref().is_some_and(Ticket::is_given_up) {
            return;
        }
        let token = request.request.get_meta().get_progress_token().map(|token| token.0);
        if let Some(open) = self.open().as_mut() {
            open.insert(id, Open { ticket, token });
        }
    }

    /// An answer goes to who asked, once; all others are counted and nothing else (case MCP-019).
    pub(crate) fn answer(&self, id: Option<u64>, reply: impl FnOnce() -> Reply) -> Waited {
        let open = id.and_then(|id| self.open().as_mut()?.remove(&id));
        match open {
            None => {
                self.noise().unasked += 1;
                Waited::Nobody
            }
            Some(Open { ticket: None, .. }) => Waited::Engine,
            Some(Open { ticket: Some(ticket), .. }) => {
                ticket.answer(reply());
                Waited::Caller
            }
        }
    }

    /// There will be no answer to a request, if anybody still waits for one.
    pub(crate) fn fail(&self, id: Option<u64>, failure: Failure) {
        let open = id.and_then(|id| self.open().as_mut()?.remove(&id));
        if let Some(ticket) = open.and_then(|open| open.ticket) {
            ticket.answer(Err(failure));
        }
    }

    /// Nobody waits for this answer any more. Says whether it was still to come.
    pub(crate) fn forget(&self, id: &NumberOrString) -> bool {
        number(id).is_some_and(|id| self.open().as_mut().is_some_and(|open| open.remove(&id).is_some()))
    }

    /// A word about how far a request is.
    pub(crate) fn progress(&self, token: &NumberOrString, word: String) {
        let open = self.open();
        let of_token = |open: &&Open| open.token.as_ref() == Some(token);
        let ticket = open.as_ref().and_then(|open| open.values().find(of_token)?.ticket.as_ref());
        if let Some(ticket) = ticket {
            // Who is told too fast misses some.
            let _ = ticket.0.progress.try_send(word);
        }
    }

    /// Nobody is answered any more: who waits hears it.
    pub(crate) fn close(&self) {
        self.over.cancel();
        let open = self.open().take();
        for ticket in open.into_iter().flatten().filter_map(|(_, open)| open.ticket) {
            ticket.answer(Err(Failure::Gone));
        }
        self.changed.notify_one();
    }

    /// Ends with the connection.
    pub(crate) fn over(&self) -> &CancellationToken {
        &self.over
    }

    pub(crate) fn is_greeted(&self) -> bool {
        self.is_greeted.load(Ordering::Acquire)
    }

    pub(crate) fn greeted(&self) {
        self.is_greeted.store(true, Ordering::Release);
    }

    /// The server says that its tools are others.
    pub(crate) fn lists_changed(&self) {
        self.list_changed.store(true, Ordering::Release);
        self.noise().list_changes += 1;
        self.changed.notify_one();
    }

    /// Whether the server said since the last time that its tools changed; however often, it is once (fault F67).
    pub(crate) fn take_list_changed(&self) -> bool {
        self.list_changed.swap(false, Ordering::AcqRel)
    }

    /// What was taken could not be looked at.
    pub(crate) fn put_list_changed(&self) {
        self.list_changed.store(true, Ordering::Release);
    }

    pub(crate) fn noise(&self) -> MutexGuard<'_, Noise> {
        self.noise.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> MutexGuard<'_, Option<BTreeMap<u64, Open>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The engine's own ids are numbers from zero.
pub(crate) fn number(id: &NumberOrString) -> Option<u64> {
    match id {
        NumberOrString::Number(id) => u64::try_from(*id).ok(),
        NumberOrString::String(_) => None,
    }
}
