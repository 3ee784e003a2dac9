//! The client at the other end: notifications, requests and responses to it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use crate::rpc::RpcError;

/// Messages that wait for the writer. A full queue delays the sender, and the feed then merges deltas.
const QUEUE: usize = 64;

type Reply = Result<Value, RpcError>;

/// Sender to the client. Clones share the connection.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    outgoing: mpsc::Sender<String>,
    pending: Arc<Mutex<Pending>>,
}

#[derive(Debug, Default)]
struct Pending {
    last: u64,
    open: BTreeMap<u64, oneshot::Sender<Reply>>,
    /// Requests whose cancellation the full queue did not take. The next message follows their cancellations.
    cancelled: Vec<u64>,
}

/// Request to the client that waits for its response. Dropping it cancels the request.
#[derive(Debug)]
pub(crate) struct PendingRequest {
    id: u64,
    peer: Peer,
    reply: oneshot::Receiver<Reply>,
}

impl Peer {
    /// Creates the sender, and the receiver of the lines to write.
    pub(crate) fn new() -> (Self, mpsc::Receiver<String>) {
        let (outgoing, lines) = mpsc::channel(QUEUE);
        (Self { outgoing, pending: Arc::default() }, lines)
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message to the queue; false if it is full.
    #[cfg(test)]
    pub(crate) fn try_fill(&self) -> bool {
        self.outgoing.try_send(json!({"method": "full"}).to_string()).is_ok()
    }

    async fn send(&self, message: &Value) {
        let cancelled = std::mem::take(&mut self.lock().cancelled);
        for id in cancelled {
            drop(self.outgoing.send(cancellation(id)).await);
        }
        // The receiver ends with the connection, which its reader notices.
        drop(self.outgoing.send(message.to_string()).await);
    }

    /// Returns true after the end of the connection.
    pub(crate) fn is_closed(&self) -> bool {
        self.outgoing.is_closed()
    }

    pub(crate) async fn notify(&self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    /// Sends an update of a session.
    pub(crate) async fn update(&self, session: &str, update: Value) {
        self.notify("session/update", json!({"sessionId": session, "update": update})).await;
    }

    pub(crate) async fn respond(&self, id: &Value, result: Reply) {
        let message = match result {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error.to_value()}),
        };
        self.send(&message).await;
    }

    /// Sends a request, and returns the wait for its response.
    pub(crate) async fn request(&self, method: &str, params: Value) -> PendingRequest {
        let (sender, reply) = oneshot::channel();
        let id = {
            let mut pending = self.lock();
            pending.last = pending.last.saturating_add(1);
            let id = pending.last;
            pending.open.insert(id, sender);
            id
        };
        let request = PendingRequest { id, peer: self.clone(), reply };
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        request
    }

    /// Passes a response to its request. A response to an unknown or cancelled request has no effect.
    pub(crate) fn receive(&self, id: u64, result: Reply) {
        let waiting = self.lock().open.remove(&id);
        if let Some(waiting) = waiting {
            drop(waiting.send(result));
        }
    }
}

impl PendingRequest {
    /// Waits for the response; `None` if the connection ends first.
    pub(crate) async fn wait(mut self) -> Option<Reply> {
        (&mut self.reply).await.ok()
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        let is_open = self.peer.lock().open.remove(&self.id).is_some();
        if is_open && let Err(TrySendError::Full(_)) = self.peer.outgoing.try_send(cancellation(self.id)) {
            self.peer.lock().cancelled.push(self.id);
        }
    }
}

fn cancellation(id: u64) -> String {
    json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": id}}).to_string()
}
