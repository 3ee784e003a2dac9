//! Text files of the client, which can have changes that are not saved.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::time::Instant;
use windlass_app::sessions::EditorFiles;

use crate::peer::Peer;

/// The longest wait for an answer of the client.
const PATIENCE: Duration = Duration::from_secs(5);

/// Time without further questions to a client that did not answer, so that a patch of many files does not wait for each.
const PAUSE: Duration = Duration::from_secs(30);

/// The requests `fs/read_text_file` and `fs/write_text_file` of one session.
pub(crate) struct ClientFiles {
    peer: Peer,
    runtime: Handle,
    place: ClientFolder,
    can_write: bool,
    /// The end of the pause after a question without an answer.
    paused: Mutex<Option<Instant>>,
}

/// A session with its folder as the client names it: the name may contain links.
#[derive(Clone, Debug)]
pub(crate) struct ClientFolder {
    pub(crate) session: String,
    pub(crate) folder: PathBuf,
}

impl ClientFiles {
    /// Creates the files of a session. Requests are sent by tasks of the current runtime.
    pub(crate) fn new(peer: Peer, place: ClientFolder, can_write: bool) -> Self {
        Self { peer, runtime: Handle::current(), place, can_write, paused: Mutex::default() }
    }

    /// Sends a request, and blocks until the answer.
    fn request(&self, method: &'static str, path: &Path, fields: Value) -> Result<Value, String> {
        let silent = || "the editor did not answer".to_owned();
        if self.is_paused() || self.peer.is_closed() {
            return Err(silent());
        }
        let path = self.place.folder.join(path);
        let path = path.to_str().ok_or_else(|| "the path is not UTF-8".to_owned())?;
        let mut params = json!({"sessionId": self.place.session, "path": path});
        if let (Some(params), Value::Object(fields)) = (params.as_object_mut(), fields) {
            params.extend(fields);
        }
        let (sender, answer) = mpsc::sync_channel(1);
        let peer = self.peer.clone();
        self.runtime.spawn(async move {
            let request = async { peer.request(method, params).await.wait().await };
            let answered = tokio::time::timeout(PATIENCE, request).await;
            // The receiver waits for the answer.
            drop(sender.send(answered.ok().flatten()));
        });
        // An error means that the runtime has ended.
        let Some(answer) = answer.recv().ok().flatten() else {
            self.pause();
            return Err(silent());
        };
        answer.map_err(|error| error.message)
    }

    fn is_paused(&self) -> bool {
        let paused = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        paused.is_some_and(|end| Instant::now() < end)
    }

    fn pause(&self) {
        *self.paused.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now().checked_add(PAUSE);
    }
}

impl EditorFiles for ClientFiles {
    fn read(&self, path: &Path) -> Option<String> {
        let answer = self.request("fs/read_text_file", path, json!({})).ok()?;
        Some(answer.get("content")?.as_str()?.to_owned())
    }

    fn can_write(&self) -> bool {
        self.can_write
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), String> {
        self.request("fs/write_text_file", path, json!({"content": text})).map(drop)
    }
}

impl fmt::Debug for ClientFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientFiles").field("place", &self.place).finish_non_exhaustive()
    }
}
