//! The sessions that the client has opened on this connection.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::watch;
use windlass_app::Autonomy;
use windlass_app::sessions::SessionDraft;
use windlass_protocol::Effort;

use crate::rpc::RpcError;

/// Largest number of open sessions of a connection.
const MAX_SESSIONS: usize = 1_000;

/// Largest number of remembered rejections of a session.
const MAX_REJECTIONS: usize = 1_000;

/// The levels of autonomy that a client can choose as the mode of a session.
const MODES: [(Autonomy, &str, &str, &str); 3] = [
    (Autonomy::Ask, "ask", "Ask", "Asks about every call that no rule allows"),
    (Autonomy::ReadOnly, "read-only", "Read only", "Only reads, and denies everything else"),
    (Autonomy::AutoEdit, "auto-edit", "Auto edit", "Changes files of the folder without a question"),
];

/// Session of the client.
#[derive(Clone, Debug)]
pub(crate) struct EditorSession {
    pub(crate) root: PathBuf,
    pub(crate) autonomy: Autonomy,
    /// The model of the next run.
    pub(crate) model: String,
    /// The amount of reasoning of the next run; `None` leaves it to the provider.
    pub(crate) effort: Option<Effort>,
    /// False until the first prompt starts the session's first run.
    pub(crate) is_started: bool,
    /// The number of the last event that the client received, if it received the newest run.
    pub(crate) last_seq: Option<u64>,
    /// The digests of the calls that the person rejected for the session.
    pub(crate) rejected: BTreeSet<String>,
}

impl EditorSession {
    /// Creates a session without a run.
    pub(crate) fn from_draft(draft: SessionDraft) -> Self {
        let SessionDraft { root, autonomy, model, effort } = draft;
        let rejected = BTreeSet::new();
        Self { root, autonomy, model, effort, is_started: false, last_seq: None, rejected }
    }
}

#[derive(Debug)]
struct Entry {
    session: EditorSession,
    prompt: Option<Prompt>,
}

#[derive(Debug)]
struct Prompt {
    request: Value,
    cancel: watch::Sender<bool>,
}

/// Table of the open sessions. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenSessions {
    entries: Arc<Mutex<BTreeMap<String, Entry>>>,
}

/// Place of a prompt: a session works on one prompt at a time. Dropping it frees the session.
#[derive(Debug)]
pub(crate) struct PromptSlot {
    pub(crate) id: String,
    request: Value,
    pub(crate) cancelled: watch::Receiver<bool>,
    sessions: OpenSessions,
}

impl OpenSessions {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a session, or replaces its state.
    pub(crate) fn open(&self, id: &str, session: EditorSession) -> Result<(), RpcError> {
        let mut entries = self.lock();
        if let Some(entry) = entries.get_mut(id) {
            if entry.prompt.is_some() {
                return Err(RpcError::invalid_request("the session works on a prompt"));
            }
            let rejected = std::mem::take(&mut entry.session.rejected);
            entry.session = EditorSession { rejected, ..session };
            return Ok(());
        }
        if entries.len() >= MAX_SESSIONS {
            return Err(RpcError::internal(format!("more than {MAX_SESSIONS} sessions are open; close one")));
        }
        entries.insert(id.to_owned(), Entry { session, prompt: None });
        Ok(())
    }

    pub(crate) fn get(&self, id: &str) -> Result<EditorSession, RpcError> {
        self.lock().get(id).map(|entry| entry.session.clone()).ok_or_else(|| not_open(id))
    }

    /// Changes the state of an open session.
    pub(crate) fn update(&self, id: &str, change: impl FnOnce(&mut EditorSession)) -> Result<(), RpcError> {
        let mut entries = self.lock();
        change(&mut entries.get_mut(id).ok_or_else(|| not_open(id))?.session);
        Ok(())
    }

    /// Returns true if the person rejected the call with this digest for the session.
    pub(crate) fn is_rejected(&self, id: &str, digest: &str) -> bool {
        self.lock().get(id).is_some_and(|entry| entry.session.rejected.contains(digest))
    }

    /// Remembers a rejection for the session. Without room for it, the rejection counts once.
    pub(crate) fn reject(&self, id: &str, digest: &str) {
        let mut entries = self.lock();
        if let Some(entry) = entries.get_mut(id).filter(|entry| entry.session.rejected.len() < MAX_REJECTIONS)
        {
            entry.session.rejected.insert(digest.to_owned());
        }
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    /// Forgets a session, and cancels its prompt.
    pub(crate) fn close(&self, id: &str) -> Result<(), RpcError> {
        self.cancel(id);
        self.lock().remove(id).map(|_| ()).ok_or_else(|| not_open(id))
    }

    /// Begins a prompt.
    pub(crate) fn begin(&self, id: &str, request: &Value) -> Result<PromptSlot, RpcError> {
        let mut entries = self.lock();
        let entry = entries.get_mut(id).ok_or_else(|| not_open(id))?;
        if entry.prompt.is_some() {
            return Err(RpcError::invalid_request("the session works on another prompt"));
        }
        let (cancel, cancelled) = watch::channel(false);
        entry.prompt = Some(Prompt { request: request.clone(), cancel });
        Ok(PromptSlot { id: id.to_owned(), request: request.clone(), cancelled, sessions: self.clone() })
    }

    /// Cancels the prompt of a session, if it works on one.
    pub(crate) fn cancel(&self, id: &str) {
        if let Some(prompt) = self.lock().get(id).and_then(|entry| entry.prompt.as_ref()) {
            prompt.cancel.send_replace(true);
        }
    }

    /// Cancels the prompt that a request began.
    pub(crate) fn cancel_request(&self, request: &Value) {
        for prompt in self.lock().values().filter_map(|entry| entry.prompt.as_ref()) {
            if prompt.request == *request {
                prompt.cancel.send_replace(true);
            }
        }
    }
}

impl Drop for PromptSlot {
    fn drop(&mut self) {
        if let Some(entry) = self.sessions.lock().get_mut(&self.id) {
            // The session may have been closed, opened again and prompted meanwhile.
            entry.prompt.take_if(|prompt| prompt.request == self.request);
        }
    }
}

fn not_open(id: &str) -> RpcError {
    let shown: String = id.chars().take(100).collect();
    RpcError::not_found(format!("the session {shown:?} is not open"))
}

/// Returns the state of the modes of a session. The template's level is offered even if it is not one of the list.
pub(crate) fn modes(current: Autonomy) -> Value {
    let available =
        MODES.iter().map(|(_, id, name, about)| json!({"id": id, "name": name, "description": about}));
    let mut available: Vec<Value> = available.collect();
    let id = MODES.iter().find(|(level, ..)| *level == current).map_or("headless", |(_, id, ..)| id);
    if id == "headless" {
        let about = "Never asks: denies calls that no rule allows";
        available.push(json!({"id": id, "name": "Headless", "description": about}));
    }
    json!({"currentModeId": id, "availableModes": available})
}

/// Finds a level of autonomy by the id of its mode.
pub(crate) fn find_mode(id: &str) -> Result<Autonomy, RpcError> {
    let found = MODES.iter().find(|(_, known, ..)| *known == id).map(|(level, ..)| *level);
    found.ok_or_else(|| RpcError::invalid_params("the mode does not exist"))
}
