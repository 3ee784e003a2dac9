//! The open requests of a connection, and the receivers of their answers.
//!
//! The `rmcp` engine numbers requests and pairs answers with them, but parses answers into values of its own.
//! This crate needs the raw text: fingerprints cover the text of definitions, numbers keep all digits, and
//! messages that are too long or too deep are never parsed. The ledger therefore sends the raw text to the
//! caller, and the engine gets an empty result.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetExtensions, GetMeta, NumberOrString};
use serde_json::value::RawValue;
use tokio::sync::{Notify, mpsc, oneshot};
use windlass_tool::CancellationToken;

use crate::SkippedMessages;
use crate::failure::Failure;

pub(crate) type Reply = Result<Box<RawValue>, Failure>;

/// Capacity of a request's queue of progress messages.
const PROGRESS: usize = 16;

/// The sending half of a request's channels. It travels through the engine in the request's extensions and is
/// not serialized.
#[derive(Clone)]
pub(crate) struct Ticket(Arc<Waiting>);

struct Waiting {
    reply: Mutex<Option<oneshot::Sender<Reply>>>,
    progress: mpsc::Sender<String>,
    is_sent: AtomicBool,
    body: CallBody,
}

/// The parts of a call that are added when its message is written, because `rmcp` has no place for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallBody {
    /// Sent as its raw text.
    pub(crate) arguments: Option<Box<RawValue>>,
    /// Additional headers over HTTP.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

/// The receiving half of a request's channels.
pub(crate) struct Returns {
    pub(crate) reply: oneshot::Receiver<Reply>,
    pub(crate) progress: mpsc::Receiver<String>,
}

/// The receiver of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerReceiver {
    Nobody,
    Engine,
    Caller,
}

struct Open {
    /// `None` for a request of the engine itself.
    ticket: Option<Ticket>,
    token: Option<NumberOrString>,
}

pub(crate) struct Ledger {
    /// `None` after the connection ended.
    open: Mutex<Option<BTreeMap<u64, Open>>>,
    over: CancellationToken,
    is_greeted: AtomicBool,
    is_stateless: AtomicBool,
    list_changed: AtomicBool,
    skipped: Arc<Mutex<SkippedMessages>>,
    /// Wakes the server's supervisor when its list of tools or its connection changes.
    changed: Arc<Notify>,
}

impl Ticket {
    /// Creates both halves.
    pub(crate) fn new(body: CallBody) -> (Self, Returns) {
        let (reply, answer) = oneshot::channel();
        let (progress, told) = mpsc::channel(PROGRESS);
        let waiting =
            Waiting { reply: Mutex::new(Some(reply)), progress, is_sent: AtomicBool::new(false), body };
        (Self(Arc::new(waiting)), Returns { reply: answer, progress: told })
    }

    /// Returns whether the request may have reached the server.
    pub(crate) fn is_sent(&self) -> bool {
        self.0.is_sent.load(Ordering::Acquire)
    }

    /// Drops the sender: a later answer counts as unasked.
    pub(crate) fn give_up(&self) {
        self.0.reply.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn is_given_up(&self) -> bool {
        self.0.reply.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    pub(crate) fn arguments(&self) -> Option<&RawValue> {
        self.0.body.arguments.as_deref()
    }

    pub(crate) fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.0.body.headers
    }

    /// Returns the ticket of a request of this crate.
    pub(crate) fn find(message: &ClientJsonRpcMessage) -> Option<&Self> {
        match message {
            ClientJsonRpcMessage::Request(request) => request.request.extensions().get(),
            _ => None,
        }
    }

    fn answer(&self, reply: Reply) {
        if let Some(waiting) = self.0.reply.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // The receiver may have been dropped.
            drop(waiting.send(reply));
        }
    }
}

impl Ledger {
    pub(crate) fn new(skipped: Arc<Mutex<SkippedMessages>>, changed: Arc<Notify>) -> Self {
        Self {
            open: Mutex::new(Some(BTreeMap::new())),
            over: CancellationToken::new(),
            is_greeted: AtomicBool::new(false),
            is_stateless: AtomicBool::new(false),
            list_changed: AtomicBool::new(false),
            skipped,
            changed,
        }
    }

    /// Records a request when it is sent.
    pub(crate) fn note(&self, message: &ClientJsonRpcMessage) {
        let ClientJsonRpcMessage::Request(request) = message else { return };
        match &request.request {
            ClientRequest::DiscoverRequest(_) => self.is_stateless.store(true, Ordering::Release),
            ClientRequest::InitializeRequest(_) => self.is_stateless.store(false, Ordering::Release),
            _ => {}
        }
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

    /// Routes an answer to the request's receiver, once. Other answers are only counted (case MCP-019).
    pub(crate) fn answer(&self, id: Option<u64>, reply: impl FnOnce() -> Reply) -> AnswerReceiver {
        let open = id.and_then(|id| self.open().as_mut()?.remove(&id));
        match open {
            None => {
                self.lock_skip_counts().unasked += 1;
                AnswerReceiver::Nobody
            }
            Some(Open { ticket: None, .. }) => AnswerReceiver::Engine,
            Some(Open { ticket: Some(ticket), .. }) => {
                ticket.answer(reply());
                AnswerReceiver::Caller
            }
        }
    }

    /// Answers an open request with a failure.
    pub(crate) fn fail(&self, id: Option<u64>, failure: Failure) {
        let open = id.and_then(|id| self.open().as_mut()?.remove(&id));
        if let Some(ticket) = open.and_then(|open| open.ticket) {
            ticket.answer(Err(failure));
        }
    }

    /// Removes an open request. Returns whether it was open.
    pub(crate) fn forget(&self, id: &NumberOrString) -> bool {
        number(id).is_some_and(|id| self.open().as_mut().is_some_and(|open| open.remove(&id).is_some()))
    }

    /// Sends a progress message to the request with this token.
    pub(crate) fn progress(&self, token: &NumberOrString, word: String) {
        let open = self.open();
        let of_token = |open: &&Open| open.token.as_ref() == Some(token);
        let ticket = open.as_ref().and_then(|open| open.values().find(of_token)?.ticket.as_ref());
        if let Some(ticket) = ticket {
            // A full queue drops the message.
            let _ = ticket.0.progress.try_send(word);
        }
    }

    /// Ends the connection: each open request of this crate fails with `Failure::Gone`.
    pub(crate) fn close(&self) {
        self.over.cancel();
        let open = self.open().take();
        for ticket in open.into_iter().flatten().filter_map(|(_, open)| open.ticket) {
            ticket.answer(Err(Failure::Gone));
        }
        self.changed.notify_one();
    }

    /// Returns the token that is cancelled when the connection ends.
    pub(crate) fn end_token(&self) -> &CancellationToken {
        &self.over
    }

    pub(crate) fn is_greeted(&self) -> bool {
        self.is_greeted.load(Ordering::Acquire)
    }

    /// Returns whether `server/discover` was the last request that opened the connection. The server then
    /// cannot send requests.
    pub(crate) fn is_stateless(&self) -> bool {
        self.is_stateless.load(Ordering::Acquire)
    }

    pub(crate) fn record_greeting(&self) {
        self.is_greeted.store(true, Ordering::Release);
    }

    /// Records that the server announced another list of tools.
    pub(crate) fn lists_changed(&self) {
        self.list_changed.store(true, Ordering::Release);
        self.lock_skip_counts().list_changes += 1;
        self.changed.notify_one();
    }

    /// Returns whether the server announced a change since the last call. Several announcements count as one
    /// (fault F67).
    pub(crate) fn take_list_changed(&self) -> bool {
        self.list_changed.swap(false, Ordering::AcqRel)
    }

    /// Restores the announcement after the list could not be read.
    pub(crate) fn put_list_changed(&self) {
        self.list_changed.store(true, Ordering::Release);
    }

    pub(crate) fn lock_skip_counts(&self) -> MutexGuard<'_, SkippedMessages> {
        self.skipped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> MutexGuard<'_, Option<BTreeMap<u64, Open>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns an id as a number: the engine numbers its requests from zero.
pub(crate) fn number(id: &NumberOrString) -> Option<u64> {
    match id {
        NumberOrString::Number(id) => u64::try_from(*id).ok(),
        NumberOrString::String(_) => None,
    }
}
