//! Writes a cassette while a run goes on.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use secrecy::SecretString;
use serde_json::Value;
use windlass_agent::Approver;
use windlass_client::Transport;
use windlass_redact::{RedactStream, Redactor};
use windlass_tool::{Human, Tool};

use crate::tap::{ApproverTap, HumanTap, ToolTap, TransportTap};
use crate::{CassetteError, Line};

/// Writes a cassette while a run goes on: give it the transport, the tools, the approver and the human, and take
/// what it gives back in their place. Cheap to clone.
///
/// Each line is on its way to the disk when what it tells has happened, so a run that is killed leaves a cassette
/// up to there. Only the user can read it. Keys are never in it: headers that carry one are left out, and their values are taken out of all
/// else, also where they come back in an answer or in a tool's output.
///
/// ```
/// use std::sync::Arc;
/// use serde_json::json;
/// use windlass_agent::Everything;
/// use windlass_cassette::{Player, Recorder};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("run.jsonl");
/// let recorder = Recorder::create(&file, json!({"task": "say hello"}), [])?;
/// let approver = recorder.approver(Arc::new(Everything));
/// // … an agent with `recorder.transport(…)`, `recorder.tool(…)` and `approver` runs here …
/// # let _ = approver;
/// recorder.finish()?;
/// assert_eq!(Player::open(&file)?.settings()["task"], "say hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Recorder {
    tape: Arc<Tape>,
}

/// The file, and what is known while it is written.
pub(crate) struct Tape {
    path: PathBuf,
    exchanges: AtomicU64,
    state: Mutex<State>,
}

struct State {
    file: File,
    redactor: Redactor,
    /// The first failure; nothing is written after it, for a cassette with a hole would lie.
    failure: Option<CassetteError>,
}

impl Recorder {
    /// Begins a cassette. `settings` is what the run is started with; `secrets` are texts that must not be in it,
    /// besides the keys that requests carry.
    ///
    /// # Errors
    /// If there is such a file already, or it cannot be made.
    pub fn create(
        path: impl AsRef<Path>,
        settings: Value,
        secrets: impl IntoIterator<Item = SecretString>,
    ) -> Result<Self, CassetteError> {
        let path = path.as_ref().to_owned();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(|source| {
            if source.kind() == ErrorKind::AlreadyExists {
                CassetteError::Exists { path: path.clone() }
            } else {
                CassetteError::File { path: path.clone(), verb: "made", source }
            }
        })?;
        let state = State { file, redactor: Redactor::new(secrets), failure: None };
        let tape = Arc::new(Tape { path, exchanges: AtomicU64::new(0), state: Mutex::new(state) });
        tape.write(&Line::Begin { version: Line::VERSION, settings });
        Ok(Self { tape })
    }

    /// A transport that does what the inner one does, and is recorded.
    pub fn transport(&self, inner: Arc<dyn Transport>) -> Arc<dyn Transport> {
        Arc::new(TransportTap { inner, tape: self.tape.clone() })
    }

    /// A tool that does what the inner one does, and is recorded.
    pub fn tool(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        Arc::new(ToolTap { inner, tape: self.tape.clone() })
    }

    /// An approver who says what the inner one says, and is recorded.
    pub fn approver(&self, inner: Arc<dyn Approver>) -> Arc<dyn Approver> {
        Arc::new(ApproverTap { inner, tape: self.tape.clone() })
    }

    /// A human who says what the inner one says, and is recorded.
    pub fn human(&self, inner: Arc<dyn Human>) -> Arc<dyn Human> {
        Arc::new(HumanTap { inner, tape: self.tape.clone() })
    }

    /// Brings what is written to the disk.
    ///
    /// # Errors
    /// If anything could not be written: the cassette ends before that.
    pub fn finish(&self) -> Result<(), CassetteError> {
        let mut state = self.tape.state();
        if let Some(failure) = state.failure.take() {
            return Err(failure);
        }
        state.file.sync_all().map_err(|source| self.tape.failed(source))
    }
}

impl Tape {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, source: std::io::Error) -> CassetteError {
        CassetteError::File { path: self.path.clone(), verb: "written", source }
    }

    pub(crate) fn next_exchange(&self) -> u64 {
        self.exchanges.fetch_add(1, Ordering::Relaxed)
    }

    /// Writes a line, without the secrets that are known.
    pub(crate) fn write(&self, line: &Line) {
        let mut state = self.state();
        if state.failure.is_some() {
            return;
        }
        let written = serde_json::to_string(line).map_err(CassetteError::from).and_then(|text| {
            let mut text = state.redactor.redact_json(&text).into_owned();
            text.push('\n');
            // One write for a line: whoever is killed leaves half a line at most.
            state.file.write_all(text.as_bytes()).map_err(|source| self.failed(source))
        });
        state.failure = written.err();
    }

    pub(crate) fn learn(&self, secret: &str) {
        self.state().redactor.register(&secret.into());
    }

    pub(crate) fn redact(&self, bytes: &[u8]) -> Vec<u8> {
        let redactor = &self.state().redactor;
        match std::str::from_utf8(bytes) {
            Ok(text) => redactor.redact_json(text).into_owned().into_bytes(),
            Err(_) => redactor.redact_bytes(bytes).into_owned(),
        }
    }

    /// Takes out what is known by now, of bytes that come in pieces.
    pub(crate) fn redact_stream(&self) -> RedactStream {
        self.state().redactor.stream()
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("path", &self.tape.path).finish_non_exhaustive()
    }
}
