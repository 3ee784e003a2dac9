//! Client of the DevTools protocol: commands, replies and events as JSON, each followed by a NUL.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::sync::{mpsc, oneshot};

/// Maximum number of bytes of one message, enough for the largest screenshot.
const MAX_MESSAGE: u64 = 64 * 1024 * 1024;
/// Maximum number of commands that are queued for the pipe.
const WAITING: usize = 64;

/// The reason why a command failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DevToolsError {
    #[error("the browser has ended")]
    Gone,
    #[error("the browser did not answer {method} within {limit:?}")]
    Late { method: &'static str, limit: Duration },
    #[error("the browser refused {method}: {message}")]
    Refused { method: &'static str, message: String },
}

/// An event from the browser.
pub(crate) struct Event {
    pub(crate) method: String,
    pub(crate) params: Value,
}

/// A command that answers an event. Its own reply is ignored.
pub(crate) struct Command {
    pub(crate) method: &'static str,
    pub(crate) params: Value,
    /// The recipient of the command.
    pub(crate) target: Target,
}

/// The recipient of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Browser,
    Page,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    next: AtomicU64,
    /// The id of the page's session; `None` before the client is attached to the page.
    session: Mutex<Option<String>>,
}

#[derive(Default)]
struct Waiting {
    answers: HashMap<u64, oneshot::Sender<Answer>>,
    is_over: bool,
}

type Answer = Result<Value, String>;

/// The client's handle for sending commands.
pub(crate) struct DevTools {
    shared: Arc<Shared>,
    outgoing: mpsc::Sender<Vec<u8>>,
}

#[derive(Deserialize)]
struct Message {
    id: Option<u64>,
    result: Option<Value>,
    error: Option<Failure>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
}

#[derive(Deserialize)]
struct Failure {
    #[serde(default)]
    message: String,
}

impl DevTools {
    /// Returns the client's handle, and a future that reads and writes the pipes. The future must be polled,
    /// and completes when the browser ends.
    pub(crate) fn new<R, W, E>(
        answers: R,
        commands: W,
        on_event: E,
    ) -> (Self, impl Future<Output = ()> + Send)
    where
        R: AsyncRead + Unpin + Send,
        W: AsyncWrite + Unpin + Send,
        E: Fn(&Event) -> Option<Command> + Send + Sync,
    {
        let (outgoing, queue) = mpsc::channel(WAITING);
        let shared = Arc::<Shared>::default();
        let (reading, answering) = (Arc::clone(&shared), outgoing.clone());
        let over = FailPending(Arc::clone(&shared));
        let work = async move {
            let _over = over;
            tokio::select! {
                () = write(commands, queue) => {}
                () = read(answers, &reading, &answering, &on_event) => {}
            }
        };
        (Self { shared, outgoing }, work)
    }

    /// Sets the session that receives the commands for the page.
    pub(crate) fn attach(&self, session: String) {
        *self.shared.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
    }

    /// Sends a command and waits for its reply.
    pub(crate) async fn call(
        &self,
        target: Target,
        method: &'static str,
        params: Value,
        limit: Duration,
    ) -> Result<Value, DevToolsError> {
        let (id, bytes) = self.shared.message(target, method, &params);
        let (sender, answer) = oneshot::channel();
        {
            let mut waiting = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            if waiting.is_over {
                return Err(DevToolsError::Gone);
            }
            waiting.answers.insert(id, sender);
        }
        let asked = async {
            self.outgoing.send(bytes).await.map_err(|_| DevToolsError::Gone)?;
            let answered = answer.await.map_err(|_| DevToolsError::Gone)?;
            answered.map_err(|message| DevToolsError::Refused { method, message })
        };
        let answered = tokio::time::timeout(limit, asked).await;
        self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner).answers.remove(&id);
        answered.unwrap_or(Err(DevToolsError::Late { method, limit }))
    }
}

/// Fails all pending commands when the future of the pipes completes or is dropped.
struct FailPending(Arc<Shared>);

impl Drop for FailPending {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.is_over = true;
        waiting.answers.clear();
    }
}

impl Shared {
    fn message(&self, target: Target, method: &'static str, params: &Value) -> (u64, Vec<u8>) {
        let id = self.next.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let mut message = json!({"id": id, "method": method, "params": params});
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let (Target::Page, Some(session), Some(fields)) = (target, session, message.as_object_mut()) {
            fields.insert("sessionId".to_owned(), session.into());
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        (id, bytes)
    }
}

async fn write(mut pipe: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Vec<u8>>) {
    while let Some(bytes) = queue.recv().await {
        if pipe.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

async fn read(
    pipe: impl AsyncRead + Unpin,
    shared: &Shared,
    outgoing: &mpsc::Sender<Vec<u8>>,
    on_event: &(dyn Fn(&Event) -> Option<Command> + Send + Sync),
) {
    let mut pipe = BufReader::with_capacity(64 * 1024, pipe);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = (&mut pipe).take(MAX_MESSAGE).read_until(0, &mut bytes).await;
        // The message exceeds the limit, or the pipe was closed: the connection cannot be used any more.
        if read.is_err() || bytes.pop() != Some(0) {
            return;
        }
        let Ok(message) = serde_json::from_slice::<Message>(&bytes) else { continue };
        if let Some(id) = message.id {
            let waiting = shared.waiting.lock().unwrap_or_else(PoisonError::into_inner).answers.remove(&id);
            if let Some(waiting) = waiting {
                let answer = match message.error {
                    Some(failure) => Err(failure.message),
                    None => Ok(message.result.unwrap_or_default()),
                };
                // The caller may have stopped waiting.
                let _ = waiting.send(answer);
            }
        } else if let Some(method) = message.method
            && let Some(command) = on_event(&Event { method, params: message.params })
        {
            let (_, bytes) = shared.message(command.target, command.method, &command.params);
            if outgoing.send(bytes).await.is_err() {
                return;
            }
        }
    }
}
